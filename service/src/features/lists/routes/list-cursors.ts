import { taskCursor, taskPlace, wholeNumbersOf, writeCursor } from '../../../core/http/parameters/cursors.ts';
import type { ListPlace } from '../read-lists.ts';

export function listCursor({ createdAt, listId }: ListPlace): string {
  return taskCursor({ createdAt, taskId: listId });
}

export function listPlace(parts: string[]): ListPlace | undefined {
  const place = taskPlace(parts);
  return place && { createdAt: place.createdAt, listId: place.taskId };
}

export function rowCursor(row: number): string {
  return writeCursor([row]);
}

export function rowPlace(parts: string[]): number | undefined {
  return wholeNumbersOf(parts, 1)?.[0];
}
