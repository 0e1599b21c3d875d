import { generateKeyPairSync, sign } from "node:crypto";

function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const integer = (value: number) => der(0x02, Buffer.from([value]));
const time = (text: string) => der(0x17, Buffer.from(text));
const objectId = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);

/** Makes a self-signed certificate for a host name, and its key; both in PEM. Times: as `YYMMDDhhmmssZ`. */
export function selfSigned(
  host: string,
  until = "491231235959Z",
  from = "200101000000Z",
): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId("2a8648ce3d040302"));
  const name = sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(host)))));
  const alternativeName = sequence(der(0x82, Buffer.from(host)));
  const extension = sequence(objectId("551d11"), der(0x04, alternativeName));
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension)),
  );
  const certificate = sequence(body, algorithm, bits(sign("sha256", body, privateKey)));
  const lines = certificate
    .toString("base64")
    .match(/.{1,64}/g)
    ?.join("\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
