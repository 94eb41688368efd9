import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { type Route, routeOf } from '../../../diagnosis/manual-redrive/destination';
import type {
  ManualRedriveFacts,
  ManualRedriveOptions,
  RedriveQueue,
} from '../../../diagnosis/manual-redrive/manual-redrive-facts';
import { type ManualRedrivePlan, planManualRedrive } from '../../../diagnosis/manual-redrive/manual-redrive-plan';
import type { MoveFacts } from '../../../policy/redrive/redrive-facts';
import { ACCOUNT, inventoryOf, queueArn, REGION } from '../inventories';

export const DEAD = queueArn('dead');

/** A fleet of which this is the dead-letter queue. */
export const FLEET = {
  name: 'hooks',
  eventsQueueArn: queueArn('a'),
  deliveriesQueueArn: queueArn('b'),
  deadLetterQueueArn: DEAD,
};

/** A queue with twelve messages and SQS's defaults. */
function handQueue(name: string, facts: Partial<RedriveQueue> = {}): RedriveQueue {
  return {
    arn: queueArn(name),
    url: `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`,
    name,
    isFifo: name.endsWith('.fifo'),
    depth: { visible: 12, inFlight: 0, delayed: 0 },
    retentionSeconds: 345_600,
    visibilityTimeoutSeconds: 30,
    maximumMessageBytes: 1_048_576,
    ...facts,
  };
}

/** The input of a plan. */
export interface Given {
  readonly inventory?: Partial<Inventory>;
  readonly terms?: Partial<ManualRedriveOptions>;
  readonly deadLetters?: Partial<RedriveQueue>;
  /** The facts of the destination, if it is a queue. */
  readonly to?: Partial<RedriveQueue>;
  readonly tasks?: readonly MoveFacts[];
  readonly redrives?: ManualRedriveFacts['redrives'];
  /** @default dead */
  readonly name?: string;
}

const TERMS: ManualRedriveOptions = { messagesPerSecond: 50, canary: 10 };

export function factsOf({
  inventory,
  deadLetters,
  tasks = [],
  redrives = [],
  name = 'dead',
}: Given): ManualRedriveFacts {
  return { deadLetters: handQueue(name, deadLetters), inventory: inventoryOf(inventory), tasks, redrives };
}

export function routed(given: Given): Route {
  return routeOf(factsOf(given), given.terms ?? {});
}

export function planned(given: Given): ManualRedrivePlan {
  const facts = factsOf(given);
  const terms = { ...TERMS, ...given.terms };
  const route = routeOf(facts, terms);
  if (route.kind === 'none') throw new Error(route.reason);
  const { home } = route;
  const to = home.kind === 'queue' ? handQueue(home.arn.split(':').at(-1) ?? '', given.to) : undefined;
  return planManualRedrive(facts, terms, home, to);
}

/** Returns the ids of the plan's risks. */
export function riskIds(given: Given): readonly string[] {
  return planned(given).risks.map(({ id }) => id);
}
