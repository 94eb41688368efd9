import type { LocalAws } from '../../../local';
import type { Order, OrderBook } from './order-book';

/** The rental company's shop: it posts each order to the API, as a customer's browser would through the web site. */
export class Shop {
  private poison = false;
  private posted = 0;

  /** @param ordersUrl where orders are posted */
  constructor(
    private readonly aws: LocalAws,
    private readonly book: OrderBook,
    private readonly ordersUrl: string,
  ) {}

  /** How many orders the API took. */
  get ordersTaken(): number {
    return this.posted;
  }

  /** Takes orders, `perHour` on average, until `untilMs`. */
  open(perHour: number, untilMs: number): void {
    const nextMs = this.aws.nowMs + this.book.gapMs(perHour);
    if (nextMs >= untilMs) return;
    this.aws.timeline.at(nextMs, async () => {
      await this.post(this.book.next(this.poison));
      this.open(perHour, untilMs);
    });
  }

  /** From now on one order after the other is one nobody can fulfil, or none is. */
  sellPoison(poison: boolean): void {
    this.poison = poison;
  }

  private async post(order: Order): Promise<void> {
    const { status, text } = await this.aws.request('POST', this.ordersUrl, JSON.stringify(order));
    if (status !== 200) throw new Error(`the orders API answered ${status} to ${order.orderId}: ${text}`);
    this.posted += 1;
  }
}
