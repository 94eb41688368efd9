import { displayNameOf, parseArn } from '../../policy/arn';
import { capitalized } from '../../policy/format-text';
import { ownMember } from '../../policy/json-members';
import { mayDo } from '../../template/access/may-do';
import { knownValue } from '../../template/maybe-known';
import type { Fix } from '../fixes/fix';
import {
  allowInvoke,
  allowKeyUse,
  allowSend,
  functionGuard,
  KEY_USES,
  keyGuard,
  queueGuard,
} from '../fixes/grant-access';
import type { Inventory, TargetFacts } from '../inventory/inventory';
import { functionOf, keyOf, queueOf } from '../inventory/look-ups';
import { fixAccess } from './answer-rule';
import { commonText, type FailureRecord, failureOfMessage } from './cause';
import type { Evidence, SampledMessage } from './evidence';
import { roleAccess } from './role-access';

/** An event or input that did not reach its target. */
interface Undelivered {
  readonly by: 'rule' | 'schedule';
  readonly byArn: string;
  readonly targetArn: string;
  readonly errorCode: string;
  readonly errorMessage: string;
  readonly inventory: Inventory;
  /** @default - the target no longer exists */
  readonly target?: TargetFacts;
}

interface ErrorRule {
  /** @default - its fix never has calls */
  readonly id?: string;
  readonly codes: RegExp;
  says(it: Undelivered): string;
  fix(it: Undelivered): Fix;
}

/** The permission needed to reach a target, by its service. */
const ACTIONS: Readonly<Record<string, string>> = {
  sqs: 'sqs:SendMessage',
  lambda: 'lambda:InvokeFunction',
  sns: 'sns:Publish',
  states: 'states:StartExecution',
  events: 'events:PutEvents',
  kinesis: 'kinesis:PutRecord',
  firehose: 'firehose:PutRecord',
};

const SERVICES = { rule: 'events.amazonaws.com', schedule: 'scheduler.amazonaws.com' } as const;

const actionOf = ({ targetArn }: Undelivered) => ownMember(ACTIONS, parseArn(targetArn)?.service ?? '');

function roleOf({ target }: Undelivered): string | undefined {
  return target && knownValue(target.roleArn);
}

function who({ by, byArn }: Undelivered) {
  return { service: SERVICES[by], sourceArn: byArn, sourceAccount: parseArn(byArn)?.account };
}

/** The fix for a queue whose policy allows the rule but whose key does not. */
function allowQueue(it: Undelivered): Fix | undefined {
  const queue = queueOf(it.targetArn, it.inventory);
  if (!queue) return undefined;
  const question = { action: 'sqs:SendMessage', resource: queue.arn, ...who(it) };
  const key = keyOf(knownValue(queue.keyId), it.inventory, queue);
  const isOfKey = /kms/i.test(it.errorMessage) || mayDo(question, queue.policy) === 'yes';
  if (key && isOfKey) {
    const asked = KEY_USES.map(action => ({ action, resource: key.arn, service: SERVICES[it.by] }));
    return fixAccess({ asked, guard: keyGuard(key, key.policy), grant: allowKeyUse(key, who(it)) });
  }
  return fixAccess({ asked: [question], guard: queueGuard(queue), grant: allowSend(queue, who(it)) });
}

function allowFunction(it: Undelivered): Fix | undefined {
  const facts = functionOf(it.targetArn, it.inventory);
  if (!facts) return undefined;
  const question = { action: 'lambda:InvokeFunction', resource: it.targetArn, ...who(it) };
  return fixAccess({ asked: [question], guard: functionGuard(facts), grant: allowInvoke(it.targetArn, who(it)) });
}

/** A target with a role is reached by that role, any other by EventBridge itself. */
function allowTarget(it: Undelivered): Fix {
  const action = actionOf(it);
  // Whoever may send to the queue can forge the attributes that name the rule and the target. So no policy statement is printed for
  // a rule or schedule that the account does not have.
  if (!it.target)
    return { says: `Allow ${SERVICES[it.by]} ${action ?? 'the action the target needs'} there, if that is intended.` };
  const roleArn = roleOf(it);
  if (action !== undefined && roleArn !== undefined)
    return fixAccess(roleAccess(roleArn, action, it.targetArn, it.inventory));
  const fix = allowQueue(it) ?? allowFunction(it);
  return fix ?? { says: `Allow ${SERVICES[it.by]} ${action ?? 'the action the target needs'} on ${it.targetArn}.` };
}

function allowAssumeRole(it: Undelivered): Fix {
  const name = displayNameOf(roleOf(it) ?? 'of the target');
  return {
    says: `Let ${SERVICES[it.by]} assume the role ${name}: its trust policy needs this statement.`,
    statement: { Effect: 'Allow', Principal: { Service: SERVICES[it.by] }, Action: 'sts:AssumeRole' },
  };
}

/** A message without the attribute that names the rule is from `a rule`. */
const whose = ({ by, byArn }: Undelivered) => (parseArn(byArn) ? `the ${by} ${displayNameOf(byArn)}` : byArn);
const to = ({ targetArn }: Undelivered) => (parseArn(targetArn) ? `the target ${displayNameOf(targetArn)}` : targetArn);

/**
 * By the error codes of EventBridge and Scheduler; the first that applies counts.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-event-delivery.html#eb-rule-dlq
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/configuring-schedule-dlq.html
 */
export const EVENT_RULES: readonly ErrorRule[] = [
  {
    codes: /ASSUME_ROLE|AssumeRole|AccessDeniedForRole/,
    says: it => `The role of ${whose(it)} cannot be assumed, so ${to(it)} was never reached.`,
    fix: allowAssumeRole,
  },
  {
    id: 'target-denies',
    codes: /NO_PERMISSIONS|AccessDenied|NotAuthorized|AuthorizationError|^KMS\.|^Kms/,
    says: it => `${to(it)} does not allow ${whose(it)}.`,
    fix: allowTarget,
  },
  {
    codes: /NO_RESOURCE|NotFound|NonExistent|DoesNotExist/,
    says: it => `${to(it)} of ${whose(it)} does not exist.`,
    fix: it => ({ says: `Deploy ${to(it)} again under the same name, or remove the target from ${whose(it)}.` }),
  },
  {
    codes: /THROTTL|Throttl|TooManyRequests|LIMIT_EXCEEDED|LimitExceeded/,
    says: it => `${to(it)} throttled ${whose(it)} until its retries were used up.`,
    fix: it => ({ says: `Raise the quota or the concurrency of ${to(it)}, or the retries of ${whose(it)}.` }),
  },
  {
    codes: /INVALID_JSON|INVALID_PARAMETER|Validation|Invalid|Malformed/,
    says: it => `${to(it)} does not accept the input that ${whose(it)} makes from its event.`,
    fix: it => ({ says: `Correct the input, or the input transformer, of ${whose(it)}.` }),
  },
  {
    codes: /CONNECTION_FAILURE|TIMEOUT|ERROR_FROM_TARGET|INTERNAL|ServiceUnavailable|ServiceException/,
    says: it => `${to(it)} failed, or did not answer, until the retries of ${whose(it)} were used up.`,
    fix: it => ({ says: `Check the logs of ${to(it)} for that time. Once it works again, redrive the messages.` }),
  },
  {
    codes: /^/,
    says: it => `${whose(it)} could not reach ${to(it)}: ${it.errorCode}.`,
    fix: () => ({ says: 'See the target’s answer in the example.' }),
  },
];

function targetOf(byArn: string, targetArn: string, { targets }: Inventory): TargetFacts | undefined {
  return targets.find(it => it.arn === byArn && knownValue(it.targetArn) === targetArn);
}

export function undeliveredEventFailure(seen: SampledMessage, { inventory }: Evidence): FailureRecord | undefined {
  const { who: said } = seen.decoded;
  if (said.kind !== 'undelivered-event') return undefined;
  const { by, byArn = `a ${by}`, targetArn = 'the target', errorCode, errorMessage, retries } = said;
  const target = targetOf(byArn, targetArn, inventory);
  const it: Undelivered = { by, byArn, targetArn, errorCode, errorMessage, inventory, ...(target && { target }) };
  const rule = EVENT_RULES.find(({ codes }) => codes.test(errorCode));
  const says = rule?.says(it) ?? errorCode;
  return failureOfMessage(seen, {
    key: { failed: by, by: byArn, code: `${errorCode} ${commonText(errorMessage)}`.trim(), destination: targetArn },
    diagnose: () => ({
      says: capitalized(says),
      ...(rule?.id !== undefined && { rule: rule.id }),
      ...(rule && { fix: rule.fix(it) }),
    }),
    example: { answer: errorMessage, ...(retries !== undefined && { attempts: retries + 1 }) },
  });
}
