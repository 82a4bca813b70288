/** Lets the page draw and take input before more work is done. */
export function nextFrame(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
