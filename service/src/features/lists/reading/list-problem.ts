/**
 * A reason why a file cannot be taken as a list. `detail` tells the person who uploaded it the finding and the remedy.
 */
export class ListProblem extends Error {
  readonly kind: 'invalid_list' | 'unsupported_file' | 'list_too_large';

  constructor(kind: ListProblem['kind'], detail: string) {
    super(detail);
    this.name = 'ListProblem';
    this.kind = kind;
  }
}
