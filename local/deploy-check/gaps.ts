import type { StandIn } from '../cloudformation';
import type { LocalAws } from '../facade/local-aws';
import { subjectOf } from '../facade/unknowns';
import { isObject } from '../kernel/json';
import { arnsIn, type MessageHistory } from './message-history';
import { idOf, isUniversal, patternSamples } from './sources';

/** What the check cannot follow. */
export interface NotFollowed {
  /** The construct path or `Stack/LogicalId` of a resource, the name of a stack, or `traffic`. `allowUnknown` takes it. */
  readonly name: string;
  readonly why: string;
  /** Whether it may change what becomes of the messages that the check judges, so that the verdict is `unknown`. */
  readonly isOnTheWay: boolean;
}

const PIPE = 'AWS::Pipes::Pipe';

/** What takes messages from outside of the stacks, but not from this check. */
const NOT_SENT = [
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGatewayV2::Api',
  'AWS::IoT::TopicRule',
  'AWS::KinesisFirehose::DeliveryStream',
  'AWS::Lambda::Url',
  PIPE,
];

/** Lists what the check cannot follow in a version of an app. What only the new version has delivered nothing yet. */
export function gapsOf(aws: LocalAws, history: MessageHistory, version: 'old' | 'new'): readonly NotFollowed[] {
  const isOnTheWay = version === 'old';
  const way = wayOf(aws, history);
  const entrances = [...rulesNotFollowed(aws), ...schedulesNotFollowed(aws)].map(gap => ({ ...gap, isOnTheWay }));
  const others = NOT_SENT.flatMap(type =>
    aws.whole.all.flatMap(({ cloudFormation }) =>
      cloudFormation.resourcesOfType(type).map(({ physicalId, properties }) => ({
        name: idOf(aws, type, physicalId),
        why: `nothing is sent to resources of the type ${type}`,
        isOnTheWay: type === PIPE && textsIn(properties).some(it => way.has(it)),
      })),
    ),
  );
  return [
    ...entrances,
    ...ownInputs(aws),
    ...others,
    ...standInsOf(aws, way),
    ...(isOnTheWay ? unreached(aws, history) : []),
  ];
}

type Gap = Omit<NotFollowed, 'isOnTheWay'>;

/** Rules for which no event is found. */
function rulesNotFollowed(aws: LocalAws): readonly Gap[] {
  return aws.whole.all.flatMap(({ events: bridge, place }) =>
    bridge.rules().flatMap(({ arn, definition }): readonly Gap[] => {
      const name = idOf(aws, 'AWS::Events::Rule', arn);
      const { eventPattern } = definition;
      if (eventPattern !== undefined && patternSamples(eventPattern, place).length === 0) {
        return [{ name, why: `no event was found that matches its pattern ${eventPattern}` }];
      }
      return [];
    }),
  );
}

/** The check sends the whole event instead, which shows that a message arrives, but not what is in it. */
const ownInputs = (aws: LocalAws): readonly NotFollowed[] =>
  aws.whole.all.flatMap(({ cloudFormation }) =>
    cloudFormation.resourcesOfType('AWS::Events::Rule').flatMap(({ physicalId, attributes, properties }) => {
      const name = idOf(aws, 'AWS::Events::Rule', attributes['Arn'] ?? physicalId);
      const own = [properties['Targets']].flat().filter(it => isObject(it) && INPUTS.some(input => input in it));
      const why = 'a target gets an input of its own. The check sends it the whole event: the input is not tried';
      return own.length > 0 ? [{ name, why, isOnTheWay: false }] : [];
    }),
  );

const INPUTS = ['Input', 'InputPath', 'InputTransformer'];

const schedulesNotFollowed = (aws: LocalAws): readonly Gap[] =>
  aws.whole.all.flatMap(({ scheduler }) =>
    scheduler.schedules().flatMap(({ arn, definition: { target } }) => {
      const name = idOf(aws, 'AWS::Scheduler::Schedule', arn);
      return isUniversal(target.Arn) ? [{ name, why: `the target ${target.Arn} is an API action` }] : [];
    }),
  );

/** What delivers messages in the old version, but none of ours. */
function unreached(aws: LocalAws, { passed, troubles }: MessageHistory): readonly NotFollowed[] {
  return aws.whole.all.flatMap(({ sns, lambda }) => {
    const subscriptions = sns.subscriptions().flatMap(({ arn }) => {
      const name = idOf(aws, 'AWS::SNS::Subscription', arn);
      return passed.has(arn) ? [] : [{ name, why: 'no message was found that passes its filter policy' }];
    });
    const mappings = lambda.eventSourceMappings().flatMap(({ uuid, configuration, target }) => {
      const name = idOf(aws, 'AWS::Lambda::EventSourceMapping', uuid);
      const isStopped = [configuration.queueArn, target.deployed.arn].some(arn => troubles.has(arn));
      return passed.has(uuid) || isStopped ? [] : [{ name, why: 'no message of the check reaches its function' }];
    });
    return [...subscriptions, ...mappings].map(gap => ({ ...gap, isOnTheWay: true }));
  });
}

/** Types of resources that decide what becomes of messages. */
const DECIDES =
  /^AWS::(?:DynamoDB|Events|IAM|KMS|Kinesis|KinesisFirehose|Lambda|Pipes|SNS|SQS|Scheduler|StepFunctions)::|^Custom::|::CustomResource$/;

/** What the check stands for itself: code of functions, records of streams, notifications of buckets, and requests. */
const STOOD_FOR =
  /^AWS::(?:Lambda::Function\.|Lambda::Url$|Kinesis::Stream$|DynamoDB::GlobalTable$)|^Custom::S3BucketNotifications$/;

function standInsOf(aws: LocalAws, way: ReadonlySet<string>): readonly NotFollowed[] {
  return aws.standIns.flatMap(standIn => {
    const { stack, logicalId, type, path, what, member, reason, decision } = standIn;
    const name = path?.replace(/\/Resource$/, '') ?? `${stack}/${logicalId}`;
    if (decision) return way.has(decision.resource) ? [{ name, why: reason, isOnTheWay: true }] : [];
    if (what !== 'resource' && what !== 'property') return [];
    // A decision that needs such a policy is listed by itself. AWS's own policies deny nothing to the roles of functions.
    if (member === 'ManagedPolicyArns' && /:iam::aws:/.test(reason)) return [];
    const about = what === 'resource' ? type : `${type}.${member}`;
    if (!DECIDES.test(type) || STOOD_FOR.test(about) || !isOn(way, aws, standIn)) return [];
    return [{ name, why: reason, isOnTheWay: true }];
  });
}

/** Whether messages pass a resource, or it names what they pass. */
function isOn(way: ReadonlySet<string>, aws: LocalAws, standIn: StandIn): boolean {
  const { physicalId = '', attributes = {}, properties = {} } = subjectOf(aws.whole.all, standIn) ?? {};
  return [physicalId, ...Object.values(attributes), ...textsIn(properties)].some(text => way.has(text));
}

/** What messages passed, and the roles, keys and destinations that it names. */
function wayOf(aws: LocalAws, { passed }: MessageHistory): ReadonlySet<string> {
  const live = aws.whole.all.flatMap(({ cloudFormation }) => cloudFormation.resourcesOfType(/./));
  const named = live.flatMap(({ physicalId, attributes, properties }) => {
    if (![physicalId, attributes['Arn'] ?? ''].some(it => passed.has(it))) return [];
    // A function's environment names what its code calls, and our handler calls nothing.
    const { Environment: _, ...others } = properties;
    return [physicalId, ...textsIn(others).flatMap(arnsIn)];
  });
  return new Set([...passed, ...named]);
}

export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
