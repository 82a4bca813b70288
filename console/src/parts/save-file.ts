/** Hands a file to the person: the browser asks where it goes, or puts it among the downloads. */
export function saveFile(name: string, pieces: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(pieces, { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold on the content as soon as it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
