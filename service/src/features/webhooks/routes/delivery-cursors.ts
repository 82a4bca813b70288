import { writeCursor } from '../../../core/http/parameters/cursors.ts';

export function deliveryCursor(deliveryId: string): string {
  return writeCursor([deliveryId]);
}

export function deliveryPlace([deliveryId = '', ...more]: string[]): string | undefined {
  return deliveryId.length === 36 && more.length === 0 ? deliveryId : undefined;
}
