import type { TracedAwsEvent } from '../../../local';
import { lastPart } from '../../../policy/arn';
import { formatDuration } from '../../../policy/format-text';
import type {
  Journey,
  JourneyEnd,
  JourneyMove,
  JourneyPlace,
  JourneySpan,
  JourneyStep,
  PlaceKind,
  SpanKind,
  StepKind,
} from '../../api/journey';

/** Something that lasts until an instant, or until something else happens. */
interface Planned {
  readonly kind: SpanKind;
  /** @default - until something else happens */
  readonly untilMs?: number;
  /** What the step says at which it ends by itself. */
  readonly lapses?: string;
}

interface OpenSpan {
  readonly place: string;
  readonly from: number;
  readonly fromMs: number;
  readonly kind: SpanKind;
  /** What follows if nothing else happens. */
  readonly then: readonly Planned[];
  readonly untilMs: number | undefined;
  readonly lapses: string | undefined;
}

export interface Happening {
  readonly seq: number | null;
  readonly atMs: number;
  /** Of its trace event. */
  readonly type: string;
}

/** The order of the lanes: where messages come from, then what receives them, then dead-letter queues. */
const RANKS: readonly (readonly PlaceKind[])[] = [
  ['topic', 'bus', 'rule', 'schedule'],
  ['queue', 'function', 'endpoint'],
  ['dead-letter-queue'],
];

/** Collects what a journey consists of, in the order in which it happened. */
export class JourneyWriter {
  private readonly places = new Map<string, { kind: PlaceKind; readonly name: string }>();
  private readonly steps: JourneyStep[] = [];
  private readonly spans: JourneySpan[] = [];
  private readonly moves: JourneyMove[] = [];
  /** What lasts now, by what it is of: a message in a queue, a delivery, an invocation. */
  private readonly open = new Map<string, OpenSpan>();
  private readonly ends = new Map<string, JourneyEnd>();

  place(id: string, kind: PlaceKind): string {
    const known = this.places.get(id);
    if (!known) this.places.set(id, { kind, name: id.startsWith('arn:') ? lastPart(id) : id });
    else if (kind === 'dead-letter-queue') known.kind = kind;
    return id;
  }

  isDeadLetterQueue(id: string): boolean {
    return this.places.get(id)?.kind === 'dead-letter-queue';
  }

  /** Adds a step, and returns its index. What ended by itself before it gets steps of its own. */
  step(at: Happening, place: string, kind: StepKind, says: string, log: JourneyStep['log'] = null): number {
    this.passTo(at.atMs);
    this.steps.push({ seq: at.seq, atMs: at.atMs, place, kind, says, rule: ruleOf(at.type), log });
    return this.steps.length - 1;
  }

  get lastStep(): number {
    return this.steps.length - 1;
  }

  get placeOfLastStep(): string | undefined {
    return this.steps.at(-1)?.place;
  }

  lastStepAt(place: string): number | undefined {
    const at = this.steps.findLastIndex(it => it.place === place);
    return at === -1 ? undefined : at;
  }

  /** @param from the step at which it begins */
  begin(key: string, from: number, planned: readonly Planned[]): void {
    const { atMs, place } = this.steps[from] ?? { atMs: 0, place: '' };
    this.end(key, from);
    const [first, ...then] = planned.filter(it => it.untilMs === undefined || it.untilMs > atMs);
    if (!first) return;
    const { kind, untilMs, lapses } = first;
    this.open.set(key, { place, from, fromMs: atMs, kind, then, untilMs, lapses });
  }

  /** @param to the step at which it ends */
  end(key: string, to: number): void {
    const span = this.open.get(key);
    this.open.delete(key);
    if (span) this.close(span, to, this.steps[to]?.atMs ?? span.fromMs);
  }

  move(from: string, to: string, left: number, arrived: number, kind: JourneyMove['kind']): void {
    if (from !== to) this.moves.push({ from, to, left, arrived, kind });
  }

  /** What became of the message at one place so far. */
  outcome(key: string, place: string, kind: JourneyEnd['kind'], says: string): void {
    this.ends.set(key, { place, kind, says });
  }

  /** It left for another place, where it has another outcome. */
  withoutOutcome(key: string): void {
    this.ends.delete(key);
  }

  /** Passes to an instant: what ends by itself until then becomes a step. */
  passTo(atMs: number): void {
    for (;;) {
      const due = [...this.open]
        .filter(([, { untilMs = Number.POSITIVE_INFINITY }]) => untilMs < atMs)
        .sort(([, one], [, other]) => (one.untilMs ?? 0) - (other.untilMs ?? 0))[0];
      if (!due) return;
      const [key, { untilMs = atMs, place, lapses, then }] = due;
      this.steps.push({
        seq: null,
        atMs: untilMs,
        place,
        kind: 'waits',
        says: lapses ?? 'It can be received',
        rule: ruleOf('sqs.visible'),
        log: null,
      });
      this.begin(key, this.lastStep, then);
    }
  }

  document(about: Pick<Journey, 'id' | 'ids' | 'body' | 'nowMs' | 'leftOut'>): Journey {
    this.passTo(about.nowMs);
    for (const span of this.open.values()) this.close(span, null, null);
    const order = this.order();
    const at = new Map(order.map((step, index) => [step, index]));
    const placed = (step: number): number => at.get(step) ?? step;
    const lanes = [...this.places].map(([id, { kind, name }]): JourneyPlace => ({ id, kind, name }));
    const rank = ({ kind }: JourneyPlace): number => RANKS.findIndex(kinds => kinds.includes(kind));
    return {
      ...about,
      places: lanes.sort((one, other) => rank(one) - rank(other)),
      steps: order.flatMap(step => this.steps[step] ?? []),
      spans: this.spans.map(it => ({ ...it, from: placed(it.from), to: it.to === null ? null : placed(it.to) })),
      moves: this.moves.map(it => ({ ...it, left: placed(it.left), arrived: placed(it.arrived) })),
      ends: [...this.ends.values()],
    };
  }

  /** The steps by index. What a service did follows its effect in the trace, and comes before it in a journey. */
  private order(): readonly number[] {
    const order = this.steps.map((_, step) => step);
    for (const { left, arrived } of this.moves) {
      if (left <= arrived || this.steps[left]?.atMs !== this.steps[arrived]?.atMs) continue;
      order.splice(order.indexOf(left), 1);
      order.splice(order.indexOf(arrived), 0, left);
    }
    return order;
  }

  private close({ place, from, fromMs, kind }: OpenSpan, to: number | null, untilMs: number | null): void {
    this.spans.push({ place, kind, from, to, fromMs, untilMs });
  }
}

/** What `GET /_dlo/messages/ID` answers. */
export interface MessageRecord {
  readonly id: string;
  readonly ids: readonly string[];
  /** By its id in each queue or topic. */
  readonly bodies: Readonly<Record<string, string>>;
  /** The original by its copy. */
  readonly copies: Readonly<Record<string, string>>;
  readonly subscriptions: Readonly<Record<string, { readonly endpoint: string; readonly protocol: string }>>;
  readonly events: readonly TracedAwsEvent[];
}

export interface JourneyContext {
  readonly record: MessageRecord;
  readonly write: JourneyWriter;
  /** The queue that each message of a queue is in, by its id. */
  readonly queues: Map<string, string>;
  readonly origins: Map<string, { readonly place: string; readonly step: number }>;
}

/** Seconds as text; fractions only below a minute. */
export function seconds(value: number): string {
  return formatDuration(value < 60 ? value : Math.round(value));
}

type Rule = NonNullable<JourneyStep['rule']>;

const AWS = 'https://docs.aws.amazon.com';
const SNS = `${AWS}/sns/latest/dg`;
const SQS = `${AWS}/AWSSimpleQueueService/latest/SQSDeveloperGuide`;
const LAMBDA = `${AWS}/lambda/latest/dg`;
const EVENTS = `${AWS}/eventbridge/latest/userguide`;

const SNS_RETRIES: Rule = {
  title: 'Amazon SNS message delivery retries',
  url: `${SNS}/sns-message-delivery-retries.html`,
};
const SNS_DEAD: Rule = { title: 'Amazon SNS dead-letter queues', url: `${SNS}/sns-dead-letter-queues.html` };
const VISIBILITY: Rule = { title: 'Amazon SQS visibility timeout', url: `${SQS}/sqs-visibility-timeout.html` };
const SQS_DEAD: Rule = { title: 'Amazon SQS dead-letter queues', url: `${SQS}/sqs-dead-letter-queues.html` };
const REDRIVE: Rule = {
  title: 'Dead-letter queue redrive',
  url: `${SQS}/sqs-configure-dead-letter-queue-redrive.html`,
};
const RETENTION: Rule = { title: 'Amazon SQS queue parameters', url: `${SQS}/sqs-configure-queue-parameters.html` };
const LAMBDA_ASYNC: Rule = {
  title: 'How Lambda handles errors and retries with asynchronous invocation',
  url: `${LAMBDA}/invocation-async-error-handling.html`,
};
const LAMBDA_SQS: Rule = {
  title: 'Handling errors for an SQS event source in Lambda',
  url: `${LAMBDA}/services-sqs-errorhandling.html`,
};
const LAMBDA_RECORDS: Rule = {
  title: 'Records of asynchronous invocations',
  url: `${LAMBDA}/invocation-async-retain-records.html`,
};
const EVENTS_RETRY: Rule = { title: 'How EventBridge retries', url: `${EVENTS}/eb-rule-retry-policy.html` };
const EVENTS_DEAD: Rule = { title: 'Dead-letter queues of EventBridge', url: `${EVENTS}/eb-rule-dlq.html` };
const SCHEDULER_DEAD: Rule = {
  title: 'Dead-letter queues of EventBridge Scheduler',
  url: `${AWS}/scheduler/latest/UserGuide/configuring-schedule-dlq.html`,
};

/** By type of event. */
const RULES: Readonly<Record<string, Rule>> = {
  'sns.attempt': SNS_RETRIES,
  'sns.dead-letter-attempt': SNS_DEAD,
  'sns.dead-lettered': SNS_DEAD,
  'sns.lost': SNS_DEAD,
  'sns.filtered': {
    title: 'Amazon SNS message filtering',
    url: `${SNS}/sns-message-filtering.html`,
  },
  'sqs.received': VISIBILITY,
  'sqs.visible': VISIBILITY,
  'sqs.visibility-changed': VISIBILITY,
  'sqs.dead-lettered': SQS_DEAD,
  'sqs.moved': REDRIVE,
  'sqs.expired': RETENTION,
  'lambda.retry-scheduled': LAMBDA_ASYNC,
  'lambda.throttled': LAMBDA_ASYNC,
  'lambda.lost': LAMBDA_ASYNC,
  'lambda.dead-lettered': LAMBDA_RECORDS,
  'lambda.destination-delivered': LAMBDA_RECORDS,
  'lambda.batch-finished': LAMBDA_SQS,
  'events.invocation-failed': EVENTS_RETRY,
  'events.dead-lettered': EVENTS_DEAD,
  'events.dropped': EVENTS_DEAD,
  'scheduler.invocation-failed': SCHEDULER_DEAD,
  'scheduler.dead-lettered': SCHEDULER_DEAD,
  'scheduler.dropped': SCHEDULER_DEAD,
};

/** The rule in AWS's documentation by which something happened. */
function ruleOf(type: string): Rule | null {
  return RULES[type] ?? null;
}
