/** Finds the end of each HTTP/1.1 response in a stream of bytes, by `Content-Length`; bodies are counted, not kept. */
type ResponseReader = { push(bytes: Buffer): void };

type OnResponse = (status: number, closes: boolean, head: string) => void;

export function createResponseReader(onResponse: OnResponse): ResponseReader {
  let head = '';
  let headRead = '';
  let bodyLeft = 0;
  let status = 0;
  let closes = false;

  /** Reads the head where it is complete; what of the body came with it is counted off. */
  function readHead(): boolean {
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) throw new Error(`a response without a length: ${head.slice(0, 200)}`);
    headRead = head.slice(0, end);
    status = Number(head.slice(9, 12));
    closes = /\r\nconnection: *close/i.test(head);
    bodyLeft = Number(length) - (head.length - end - 4);
    return true;
  }

  return {
    push(bytes) {
      if (bodyLeft > 0) {
        bodyLeft -= bytes.length;
      } else {
        head += bytes.toString('latin1');
        if (!readHead()) return;
      }
      if (bodyLeft > 0) return;
      head = '';
      onResponse(status, closes, headRead);
    },
  };
}
