/**
 * What the framework is told when a body cannot be read or does not fit its schema. It says nothing of the
 * body, because the contract has one reason for every fault.
 */
export function unreadable(): Error & { statusCode: number } {
  return Object.assign(new Error('unreadable request'), { statusCode: 400 });
}
