import type { EndpointName } from '../policy/fleet/endpoint';
import { type AttemptItem, type ItemKey, itemKeys } from '../policy/fleet/fleet-table';
import { DAY_MS } from '../policy/instants';
import { Placeholders } from './expression';
import type { Table } from './table';

/** An attempt to log. */
export type Attempt = Omit<AttemptItem, keyof ItemKey | 'expires'>;

/** Which attempts of an endpoint to read. */
export interface AttemptRange {
  /** The first instant, in milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly limit: number;
}

/** The log of attempts. DynamoDB deletes them when their time is over. */
export class Attempts {
  constructor(
    private readonly table: Table,
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
        { ...itemKeys.attemptOfDelivery(deliveryId, attempt.attempt), ...members },
      ];
    });
    return (await this.table.putAll(items)).length;
  }

  /** Returns the attempts of a message, the first one first. */
  async ofDelivery(deliveryId: string): Promise<readonly AttemptItem[]> {
    const { pk } = itemKeys.attemptOfDelivery(deliveryId, 0);
    return await this.all(pk, true, Number.POSITIVE_INFINITY);
  }

  /** Returns the attempts of an endpoint, the newest first. */
  async ofEndpoint(name: EndpointName, { sinceMs, untilMs, limit }: AttemptRange): Promise<readonly AttemptItem[]> {
    const found: AttemptItem[] = [];
    const oldestMs = Math.max(sinceMs, untilMs - this.retentionSeconds * 1_000);
    for (let day = Math.floor(untilMs / DAY_MS); day >= Math.floor(oldestMs / DAY_MS); day -= 1) {
      const { pk } = itemKeys.attemptOfEndpoint(name, day * DAY_MS, '');
      const ofDay = await this.all(pk, false, limit - found.length, ({ atMs }) => atMs >= sinceMs && atMs <= untilMs);
      found.push(...ofDay);
      if (found.length >= limit) break;
    }
    return found;
  }

  private async all(
    pk: string,
    ScanIndexForward: boolean,
    limit: number,
    isWanted: (attempt: AttemptItem) => boolean = () => true,
  ): Promise<readonly AttemptItem[]> {
    const found: AttemptItem[] = [];
    let after: ItemKey | undefined;
    do {
      const placeholders = new Placeholders();
      const page = await this.table.query<AttemptItem>({
        KeyConditionExpression: placeholders.is('pk', pk),
        ...placeholders.members,
        ScanIndexForward,
        after,
      });
      found.push(...page.items.filter(isWanted));
      after = page.next;
    } while (after && found.length < limit);
    return found.slice(0, limit);
  }
}
