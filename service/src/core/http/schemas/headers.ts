/** Response headers as the reference describes them. */
export const requestIdHeader = {
  'X-Request-Id': {
    type: 'string',
    description: 'Unique id of this request; quote it when you ask for help',
  },
};

export function creditsHeader(description: string) {
  return { 'X-Credits-Used': { type: 'integer', minimum: 0, description } };
}

export const retryAfterHeader = {
  'Retry-After': { type: 'integer', description: 'Seconds after which to try again' },
};
