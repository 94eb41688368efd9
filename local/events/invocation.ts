import { parseArn } from '../../policy/arn';
import { ownMember } from '../../policy/json-members';
import { assumeRole, sendToQueue } from '../event-delivery/targets';
import { AwsError, notImplemented } from '../kernel/aws-error';
import { type Caller, type Latency, serviceCaller } from '../kernel/caller';
import type { Random } from '../kernel/random';
import type { BusEvent } from './bus-event';
import type { Rule } from './event-bus';
import type { EventsDependencies } from './ports';
import type { Target } from './target';

export const EVENTS_SERVICE = 'events.amazonaws.com';

export interface Invocation {
  readonly rule: Rule;
  readonly target: Target;
  readonly event: BusEvent;
  /** The input of the target. Undefined when its template makes no JSON of the event. */
  readonly payload: string | undefined;
}

/** Puts an event from another bus on the bus `busArn`, with a role. */
type SendOn = (busArn: string, caller: Caller, event: BusEvent) => void;

export interface InvocationDependencies extends EventsDependencies {
  readonly sendOn: SendOn;
  readonly random: Random;
}

type Invoke = (
  dependencies: InvocationDependencies,
  caller: Caller,
  invocation: Invocation & { readonly payload: string },
) => unknown;

/** Reads `arn:aws:logs:…:log-group:NAME`, with or without `:*`. */
function logGroupName(arn: string): string {
  const [, name = ''] = (parseArn(arn)?.resource ?? '').split(':');
  return name;
}

/** By the service in the target's ARN. */
const INVOKE: Readonly<Record<string, Invoke>> = {
  sqs: ({ sqs }, caller, { target, payload }) => {
    const messageGroupId = target.definition.SqsParameters?.MessageGroupId;
    sendToQueue(sqs, caller, target.arn, payload, { messageGroupId });
  },
  sns: ({ sns }, caller, { target, payload }) =>
    sns.call('Publish', caller, { TopicArn: target.arn, Message: payload }),
  lambda: ({ lambda }, caller, { target, payload }) =>
    lambda.call('Invoke', caller, { FunctionName: target.arn, InvocationType: 'Event', Payload: payload }),
  logs: ({ logs, random }, caller, { target, payload }) => {
    logs.write(caller, logGroupName(target.arn), random.uuid(), payload);
  },
  events: ({ sendOn }, caller, { target, event, rule }) => sendOn(target.arn, caller, event.sentOnBy(rule.arn)),
};

/**
 * Whether the embedded EventBridge supports a target with this ARN. It does not support archives, API destinations and
 * similar targets.
 */
export function isTarget(arn: string): boolean {
  const { service = '', resource = '' } = parseArn(arn) ?? {};
  return Object.hasOwn(INVOKE, service) && (service !== 'events' || resource.startsWith('event-bus/'));
}

/** Returns the caller for a target: its role if it has one, otherwise the EventBridge service. */
function callerFor({ rule, target, event }: Invocation, { roles }: EventsDependencies): Caller {
  const account = parseArn(rule.arn)?.account ?? '';
  const asService = serviceCaller(EVENTS_SERVICE, rule.arn, account);
  const { RoleArn } = target.definition;
  const caller = RoleArn ? assumeRole(roles, EVENTS_SERVICE, RoleArn, asService.context) : asService;
  return { ...caller, traceHeader: event.props.traceHeader };
}

const NO_JSON = 'The input template puts an object or a list inside quotation marks, which makes no JSON';

/**
 * Makes one attempt to send to the target.
 *
 * **Assumption EVENTS-13:** AWS sends nothing when the template makes no JSON. The event is not retried and goes to the
 * target's dead-letter queue with the documented error code INVALID_JSON.
 * @param latency receives the latency of the response
 */
export function invoke(invocation: Invocation, dependencies: InvocationDependencies, latency: Latency): unknown {
  const { payload, target } = invocation;
  const { arn } = target;
  if (payload === undefined) throw new AwsError('InvalidRequestContent', NO_JSON);
  const run = ownMember(INVOKE, parseArn(arn)?.service ?? '');
  if (!run) throw notImplemented(`the EventBridge target ${arn}`);
  return run(dependencies, { ...callerFor(invocation, dependencies), latency }, { ...invocation, payload });
}
