// NDNts serves and fetches at the forwarder of NDN_CLIENT_TRANSPORT:
//
//     node ndnts.mjs serve NAME FILE    serves the file, with metadata, until it is stopped
//     node ndnts.mjs fetch NAME FILE    fetches what the metadata name into the file; prints JSON: segments, Interests,
//                                       marked packets, how often its window became smaller
import { open } from "node:fs/promises";
import { Forwarder } from "@ndn/fw";
import { enableNfdPrefixReg } from "@ndn/nfdmgmt";
import { UnixTransport } from "@ndn/node-transport";
import { digestSigning, Name } from "@ndn/packet";
import { Metadata, retrieveMetadata, serveMetadata } from "@ndn/rdr";
import { FileChunkSource, fetch, serveVersioned, TcpCubic } from "@ndn/segmented-object";

const socket = process.env.NDN_CLIENT_TRANSPORT.replace(/^unix:\/\//, "");
const [what, name, file] = process.argv.slice(2);

class Counting extends TcpCubic {
  decreases = 0;

  decrease(now) {
    ++this.decreases;
    super.decrease(now);
  }
}

async function serve() {
  const face = await UnixTransport.createFace({ addRoutes: [] }, socket);
  enableNfdPrefixReg(face, { signer: digestSigning });
  // Both producers announce one prefix, which is registered once.
  const announcement = new Name(name);
  const pOpts = { announcement };
  const source = new FileChunkSource(file, { chunkSize: 7000 });
  const served = serveVersioned(name, source, { signer: digestSigning, producerPrefix: announcement, pOpts });
  serveMetadata(new Metadata(served.prefix), { prefix: name, signer: digestSigning, pOpts });
}

async function get() {
  await UnixTransport.createFace({}, socket);
  const metadata = await retrieveMetadata(name, { verifier: digestSigning, retx: 3 });
  const ca = new Counting();
  let interests = 0;
  let marked = 0;
  // Here and not in the fetch: NDNts's own forwarder, which is in between, does not pass marks on.
  Forwarder.getDefault().addEventListener("pktrx", ({ packet }) => {
    marked += packet.congestionMark ? 1 : 0;
  });
  const modifyInterest = (interest) => {
    ++interests;
    return interest;
  };
  const fetching = fetch(metadata.name, { verifier: digestSigning, ca, modifyInterest });
  const out = await open(file, "w");
  for await (const chunk of fetching.chunks()) {
    await out.write(chunk);
  }
  await out.close();
  console.log(JSON.stringify({ segments: fetching.count, interests, marked, decreases: ca.decreases }));
  process.exit(0);
}

await { serve, fetch: get }[what]();
