import { isKnown, knownValue, type MaybeKnown } from '../../template/maybe-known';
import type { AlarmFacts, MappingFacts, SubscriptionFacts } from '../inventory/inventory';
import { unqualified } from '../inventory/look-ups';
import { readAlarms } from '../template-reader/alarms';
import type { AppReading, ResourceReading } from '../template-reader/app-reading';
import { readMappings } from '../template-reader/functions';
import { isFifoType } from '../template-reader/queues';
import { readSubscriptions } from '../template-reader/topics';
import type { CostAssumptions } from './assumptions';
import { type DeclaredFeed, feedIn } from './declared-usage';

const TOPIC = 'AWS::SNS::Topic';
const QUEUE = 'AWS::SQS::Queue';
const FUNCTION = 'AWS::Lambda::Function';

/** Where the properties of resources name a dead-letter queue or a destination of failures. */
const FAILURE_TARGETS: readonly (readonly [type: string, property: string, ...members: string[]])[] = [
  [QUEUE, 'RedrivePolicy', 'deadLetterTargetArn'],
  [FUNCTION, 'DeadLetterConfig', 'TargetArn'],
  ['AWS::SNS::Subscription', 'RedrivePolicy', 'deadLetterTargetArn'],
  ['AWS::Lambda::EventInvokeConfig', 'DestinationConfig', 'OnFailure', 'Destination'],
  ['AWS::Lambda::EventSourceMapping', 'DestinationConfig', 'OnFailure', 'Destination'],
  ['AWS::Events::EventBus', 'DeadLetterConfig', 'Arn'],
  ['AWS::Scheduler::Schedule', 'Target', 'DeadLetterConfig', 'Arn'],
];

function ruleFailureTargets(app: AppReading): MaybeKnown<string>[] {
  return app.resources('AWS::Events::Rule').flatMap(rule => {
    const targets = rule.given('Targets').list();
    return isKnown(targets) ? targets.map(it => it.at('DeadLetterConfig').at('Arn').text('')) : [];
  });
}

function failureTargets(app: AppReading): ReadonlySet<MaybeKnown<string>> {
  const named = FAILURE_TARGETS.flatMap(([type, property, ...members]) =>
    app
      .resources(type)
      .map(it => members.reduce((value, member) => value.at(member), it.given(property).parsed()).text('')),
  );
  return new Set([...named, ...ruleFailureTargets(app)]);
}

function byArn(resources: readonly ResourceReading[], arnOf: (it: ResourceReading) => MaybeKnown<string>) {
  return new Map(
    resources.flatMap(it => {
      const arn = knownValue(arnOf(it));
      return arn === undefined ? [] : [[arn, it] as const];
    }),
  );
}

/** An app as its costs are computed from it: which resources send messages to which. */
export class CostedApp {
  readonly topics: ReadonlyMap<string, ResourceReading>;
  readonly queues: ReadonlyMap<string, ResourceReading>;
  readonly functions: ReadonlyMap<string, ResourceReading>;
  readonly subscriptions: readonly SubscriptionFacts[];
  readonly mappings: readonly MappingFacts[];
  readonly alarms: readonly AlarmFacts[];
  /** The queues that only get messages when something fails. */
  private readonly failureTargets: ReadonlySet<MaybeKnown<string>>;

  constructor(
    readonly app: AppReading,
    readonly assumptions: CostAssumptions,
  ) {
    this.topics = byArn(app.resources(TOPIC), it => it.ref);
    this.queues = byArn(app.resources(QUEUE), it => it.attribute('Arn'));
    this.functions = byArn(app.resources(FUNCTION), it => it.attribute('Arn'));
    this.subscriptions = readSubscriptions(app);
    this.mappings = readMappings(app);
    this.alarms = readAlarms(app);
    this.failureTargets = failureTargets(app);
  }

  functionAt(arn: MaybeKnown<string>): ResourceReading | undefined {
    return isKnown(arn) ? this.functions.get(unqualified(arn)) : undefined;
  }

  /** The topics to which alarms publish. They get no messages of the app. */
  get alarmTopics(): ReadonlySet<MaybeKnown<string>> {
    return new Set(this.alarms.flatMap(({ alarmActions }) => (isKnown(alarmActions) ? alarmActions : [])));
  }

  /** Whether a queue or topic only gets messages when something fails. */
  isFailureTarget(arn: string): boolean {
    return this.failureTargets.has(arn);
  }

  /** The queues that functions fill with what they make of this queue's messages. */
  fedBy(queue: ResourceReading): readonly { readonly queue: ResourceReading; readonly feed: DeclaredFeed }[] {
    const { place } = queue.as('');
    return [...this.queues.values()].flatMap(it => {
      const feed = feedIn(it.metadata);
      const isBeside = it.as('').place?.templatePath === place?.templatePath;
      return feed && isBeside && feed.from === place?.logicalId ? [{ queue: it, feed }] : [];
    });
  }

  isFifoQueue(queue: ResourceReading): boolean {
    return knownValue(isFifoType(queue.given('FifoQueue'), queue.attribute('Arn'))) ?? false;
  }

  isFifoTopic(topic: ResourceReading): boolean {
    return knownValue(isFifoType(topic.given('FifoTopic'), topic.ref)) ?? false;
  }
}
