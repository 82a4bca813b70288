/**
 * Why a file cannot be taken as a list. `detail` is written for the person who brought the file: what was seen, and
 * what to do about it.
 */
export class ListProblem extends Error {
  readonly kind: 'invalid_list' | 'unsupported_file' | 'list_too_large';

  constructor(kind: ListProblem['kind'], detail: string) {
    super(detail);
    this.name = 'ListProblem';
    this.kind = kind;
  }
}
