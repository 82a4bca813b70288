/**
 * The bytes of SOCKS5, as far as a client needs them to ask for one TCP connection (RFC 1928) and to name
 * itself (RFC 1929). Destinations are IP literals alone: the domain form of an address (ATYP 3) cannot be
 * written here, so a proxy never resolves a name for us. It is read, since a proxy may answer with it.
 */
import { parseIp, type Ip } from '../net/parse-ip.ts';

export type Login = { username: string; password: string };

const version = 5;
const noLogin = 0;
const byLogin = 2;

/** RFC 1928 section 3: the ways of saying who we are that we know. */
export function encodeGreeting(login: Login | undefined): Buffer {
  const methods = login === undefined ? [noLogin] : [noLogin, byLogin];
  return Buffer.from([version, methods.length, ...methods]);
}

export const greetingAnswerBytes = 2;

export function readGreetingAnswer(bytes: Buffer): 'no_login' | 'login' | 'no_method' | 'no_socks5' {
  if (bytes[0] !== version) return 'no_socks5';
  if (bytes[1] === noLogin) return 'no_login';
  return bytes[1] === byLogin ? 'login' : 'no_method';
}

/** RFC 1929 section 2. Each part has a length of one byte, from 1 to 255. */
export function encodeLogin({ username, password }: Login): Buffer {
  const [name, secret] = [Buffer.from(username), Buffer.from(password)];
  return Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]);
}

/** Whether RFC 1929 can carry it at all. */
export function isLoginCarried({ username, password }: Login): boolean {
  return [username, password].every((text) => text !== '' && Buffer.byteLength(text) <= 255);
}

export const loginAnswerBytes = 2;

/** RFC 1929 section 2: anything but 0 is a refusal. */
export function isLoginTaken(bytes: Buffer): boolean {
  return bytes[1] === 0;
}

/** RFC 1928 section 4: CONNECT to an IP address and a port. */
export function encodeConnect({ address, port }: { address: string; port: number }): Buffer {
  const ip = parseIp(address);
  if (ip === undefined) throw new Error(`a proxy was about to be asked for the name ${address}`);
  const head = Buffer.from([version, 1, 0, ip.family === 4 ? 1 : 4]);
  const tail = Buffer.alloc(2);
  tail.writeUInt16BE(port);
  return Buffer.concat([head, ipBytes(ip), tail]);
}

function ipBytes({ family, value }: Ip): Buffer {
  return Buffer.from(value.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex');
}

/** VER REP RSV ATYP and the first byte of the address, by which the length of the rest is known. */
export const connectAnswerHeadBytes = 5;

/** How many bytes follow the head: the rest of BND.ADDR and BND.PORT. At most 257. */
export function connectAnswerTailBytes(head: Buffer): number | undefined {
  const portBytes = 2;
  const [, , , type, first = 0] = head;
  if (type === 1) return 3 + portBytes;
  if (type === 4) return 15 + portBytes;
  return type === 3 ? first + portBytes : undefined;
}

/** RFC 1928 section 6, REP; `undefined` where this is no answer of SOCKS5. */
export function readConnectAnswer(head: Buffer): number | undefined {
  return head[0] === version ? head[1] : undefined;
}
