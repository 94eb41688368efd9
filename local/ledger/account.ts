/** The books of one subscriber: how many messages were published to it, and what became of them. */
export interface SubscriberAccount {
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly protocol: string;
  /** An ARN, a URL, an address. */
  readonly endpoint: string;
  readonly published: number;
  /** The subscriber is done with them. */
  readonly delivered: number;
  /** By the name of the queue that keeps them, or kept them until somebody dealt with them. */
  readonly deadLettered: Readonly<Record<string, number>>;
  /** Not wanted, by the subscription's filter policy. */
  readonly filteredOut: number;
  /** Gone, and nobody has them. */
  readonly lost: number;
  /** Waiting for a retry, or for a consumer. */
  readonly underWay: number;
}

/** An account that is being kept. */
export class Account {
  private published = 0;
  private delivered = 0;
  private filteredOut = 0;
  private lost = 0;
  private readonly deadLettered = new Map<string, number>();

  constructor(
    private readonly subscriber: Pick<SubscriberAccount, 'topicArn' | 'subscriptionArn' | 'protocol' | 'endpoint'>,
    private receiving: boolean,
  ) {}

  get topicArn(): string {
    return this.subscriber.topicArn;
  }

  get endpoint(): string {
    return this.subscriber.endpoint;
  }

  /** From now on it is sent what is published. */
  open(): void {
    this.receiving = true;
  }

  /** From now on nothing is sent to it any more. */
  close(): void {
    this.receiving = false;
  }

  publish(topicArn: string): void {
    if (this.receiving && topicArn === this.topicArn) this.published += 1;
  }

  filterOut(): void {
    this.filteredOut += 1;
  }

  deliver(): void {
    this.delivered += 1;
  }

  deadLetter(queueName: string): void {
    this.deadLettered.set(queueName, (this.deadLettered.get(queueName) ?? 0) + 1);
  }

  lose(): void {
    this.lost += 1;
  }

  /** A dead letter is no longer in the queue that kept it. */
  withdrawDeadLetter(queueName: string): void {
    const left = (this.deadLettered.get(queueName) ?? 0) - 1;
    if (left > 0) this.deadLettered.set(queueName, left);
    else this.deadLettered.delete(queueName);
  }

  statement(): SubscriberAccount {
    const { topicArn, subscriptionArn, protocol, endpoint } = this.subscriber;
    const { published, delivered, filteredOut, lost } = this;
    const deadLettered = Object.fromEntries(this.deadLettered);
    const kept = [...this.deadLettered.values()].reduce((sum, count) => sum + count, 0);
    const underWay = published - delivered - filteredOut - lost - kept;
    return {
      topicArn,
      subscriptionArn,
      protocol,
      endpoint,
      published,
      delivered,
      deadLettered,
      filteredOut,
      lost,
      underWay,
    };
  }
}
