import { GetQueueAttributesCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { response } from '../../../local';
import type { RentalSimulation } from './rental-world';

/** Something that goes wrong for a while. */
export interface Act {
  /** Time of day, `HH:MM`. */
  readonly from: string;
  readonly until: string;
  /** What the timeline says when it begins, and when it is over. */
  readonly begins: string;
  readonly ends: string;
  /** Brings it about; answers how to put it right again. */
  happen(world: RentalSimulation): Promise<PutRight>;
}

export type PutRight = () => void | Promise<void>;

/** When customers order, and how many of them an hour on average. */
export const OPENING_HOURS = { from: '06:00', until: '22:00', ordersPerHour: 30 } as const;

/** The day is over when the last retry, alarm and poll have had their time. */
export const DAY_ENDS = '24:00';

const policyTakenAway: Act = {
  from: '08:00',
  until: '08:30',
  begins: 'Somebody removes the queue policy of Rental-Fulfilment: SNS may no longer send to it.',
  ends: 'The queue policy is restored.',
  async happen({ sqs, queues }) {
    const { url: QueueUrl } = queues.fulfilment;
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }));
    const set = async (Policy: string): Promise<void> => {
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    };
    await set('');
    return () => set(Attributes?.Policy ?? '');
  },
};

const billingDown: Act = {
  from: '10:00',
  until: '13:00',
  begins: 'The external billing system goes down: it answers 503.',
  ends: 'The billing system is back.',
  async happen({ billing }) {
    billing.behave({ reply: response(503, 'down for unplanned maintenance') });
    return () => billing.behave();
  },
};

const poisonOrders: Act = {
  from: '15:00',
  until: '15:20',
  begins: 'A partner sells a vehicle class the fleet does not have: poison for the fulfilment system.',
  ends: 'The partner stops.',
  async happen({ shop }) {
    shop.sellPoison(true);
    return () => shop.sellPoison(false);
  },
};

const sqsDown: Act = {
  from: '17:00',
  until: '17:20',
  begins: 'SQS itself answers 503 to everybody.',
  ends: 'SQS is back.',
  async happen({ aws }) {
    aws.faults.set({ service: 'sqs' });
    return () => aws.faults.clear();
  },
};

/** A bad day at Rental Orders, one thing at a time. */
export const ACTS: readonly Act[] = [policyTakenAway, billingDown, poisonOrders, sqsDown];

/** Milliseconds from midnight to a time of day. */
export function timeOfDayMs(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return ((hours ?? Number.NaN) * 60 + (minutes ?? Number.NaN)) * 60_000;
}
