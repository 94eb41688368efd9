import type { CfnSubscription, ITopic } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import { warn } from '../../shared/checks';
import type { WarningId } from '../../shared/warnings';

/** How many of something SNS lets one topic have; AWS raises it when asked. */
interface Quota {
  readonly id: WarningId;
  readonly most: number;
  readonly of: string;
  readonly counts: (subscription: CfnSubscription, topic: ITopic) => boolean;
}

/** @see https://docs.aws.amazon.com/general/latest/gr/sns.html#limits_sns */
const QUOTAS: readonly Quota[] = [
  {
    id: 'fifo-subscriptions-quota',
    most: 100,
    of: 'subscriptions of a FIFO topic',
    counts: (_, { fifo }) => fifo,
  },
  {
    id: 'filter-policies-quota',
    most: 200,
    of: 'subscriptions with a filter policy',
    counts: ({ filterPolicy }) => filterPolicy !== undefined,
  },
];

/** Counts a topic's subscriptions, and warns of the first that SNS refuses unless its quota has been raised. */
export class SubscriptionQuotas {
  private readonly counted = new Map<string, number>();

  constructor(private readonly topic: ITopic & IConstruct) {}

  public count(subscription: CfnSubscription): void {
    for (const { id, most, of, counts } of QUOTAS) {
      if (!counts(subscription, this.topic)) continue;
      const number = (this.counted.get(id) ?? 0) + 1;
      this.counted.set(id, number);
      if (number !== most + 1) continue;
      const message = `SNS allows ${most} ${of} unless AWS has raised the quota for the account: the deployment fails.`;
      warn(this.topic, id, message);
    }
  }
}
