/** What is wrong with a list, so that it cannot be read. The message is one line for whoever brought it. */
export class ListProblem extends Error {}
