import type { EndpointName } from '../policy/fleet/endpoint';
import { type AttemptItem, type ItemKey, itemKeys } from '../policy/fleet/fleet-items';
import { DAY_MS } from '../policy/time-units';
import type { DynamoDbTable, Page } from './dynamodb-table';
import { Placeholders } from './expression';

/** One attempt of a delivery, as it is logged. */
export type Attempt = Omit<AttemptItem, keyof ItemKey | 'expires'>;

/** Which attempts of an endpoint to read. */
interface AttemptRange {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** How many are read at a time. @default - as many as fit into an answer of DynamoDB */
  readonly limit?: number;
}

/** The log of attempts. DynamoDB deletes them when their time is over. */
export class Attempts {
  constructor(
    private readonly table: DynamoDbTable,
    private readonly retentionSeconds: number,
  ) {}

  /**
   * Logs attempts by endpoint and by message.
   * @returns how many of these items were not written, because DynamoDB throttles
   */
  async log(attempts: readonly Attempt[]): Promise<number> {
    const items = attempts.flatMap(attempt => {
      const { atMs, deliveryId } = attempt;
      const members = { ...attempt, expires: Math.ceil(atMs / 1_000) + this.retentionSeconds };
      return [
        { ...itemKeys.attemptOfEndpoint(attempt, atMs, deliveryId), ...members },
        { ...itemKeys.attemptOfDelivery(deliveryId, atMs), ...members },
      ];
    });
    return (await this.table.putAll(items)).length;
  }

  /** The attempts of a message, the first one first. */
  ofDelivery(deliveryId: string): AsyncGenerator<Attempt> {
    return this.read(itemKeys.attemptOfDelivery(deliveryId, 0).pk, true);
  }

  /** The attempts of an endpoint that are kept, the newest first. Each day is a partition. */
  async *ofEndpoint(name: EndpointName, range: AttemptRange): AsyncGenerator<Attempt> {
    const { untilMs } = range;
    const sinceMs = Math.max(range.sinceMs, untilMs - this.retentionSeconds * 1_000);
    for (let day = Math.floor(untilMs / DAY_MS); day >= Math.floor(sinceMs / DAY_MS); day -= 1) {
      const { pk } = itemKeys.attemptOfEndpoint(name, day * DAY_MS, '');
      for await (const attempt of this.read(pk, false, range.limit)) {
        if (attempt.atMs < sinceMs) return;
        if (attempt.atMs <= untilMs) yield attempt;
      }
    }
  }

  private async *read(partition: string, ScanIndexForward: boolean, Limit?: number): AsyncGenerator<Attempt> {
    let after: ItemKey | undefined;
    do {
      const placeholders = new Placeholders();
      const KeyConditionExpression = placeholders.is('pk', partition);
      const range = {
        KeyConditionExpression,
        ...placeholders.members,
        ScanIndexForward,
        after,
        ...(Limit && { Limit }),
      };
      const page: Page<AttemptItem> = await this.table.query(range);
      for (const { pk: _, sk: __, expires: ___, ...attempt } of page.items) yield attempt;
      after = page.next;
    } while (after);
  }
}
