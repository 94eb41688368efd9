import { Errors, Resource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { AlarmBase, IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Problem } from '../../../policy/problem';
import { mismatchProblems, throwProblems, warn } from '../checks';
import { warnOfUnreachableTopic } from './deaf-topics';

/** An alarm takes so many actions a state. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html */
const MOST_ACTIONS = 5;

interface Place {
  readonly region: string;
  readonly account: string;
}

/** Where an action is: a construct knows best, and then an ARN. Either of both may be empty in one. */
function placeOf(action: IAlarmAction, arn: string): Place | undefined {
  if (Construct.isConstruct(action) && Resource.isResource(action)) return action.env;
  if (Token.isUnresolved(arn)) return undefined;
  const [, , , region = '', account = ''] = arn.split(':');
  return { region, account };
}

function regionProblems(alarm: AlarmBase, { region }: Place): Problem[] {
  const here = Stack.of(alarm).region;
  return region === '' ? [] : mismatchProblems('alarmActions', 'must be in the Region of the alarm,', here, region);
}

function isElsewhere(alarm: AlarmBase, { account }: Place): boolean {
  return account !== '' && Token.compareStrings(Stack.of(alarm).account, account) === TokenComparison.DIFFERENT;
}

/** What CDK says of a reference to another account or Region to something that has no name, and not before the end of synthesis. */
const NAMELESS = 'CannotUseCrossEnvironment';

/** Between accounts there are no references: what an alarm of another one speaks to goes by a name. */
function namelessProblems(alarm: AlarmBase, arn: string): Problem[] {
  try {
    Stack.of(alarm).resolve(arn);
    return [];
  } catch (error) {
    if (!Errors.isValidationError(error) || error.name !== NAMELESS) throw error;
    const rule =
      'must be of the account of the alarm, or have names of their own: pass those of that account to the delivery';
    const [value = error.message] = /'.*?'/.exec(error.message) ?? [];
    return [{ property: 'alarmActions', rule, value: value.replaceAll("'", '') }];
  }
}

/**
 * Lets an alarm do something when it fires.
 * @throws for what CloudWatch would reject: more than five actions, or one in another Region; and for one of another
 * account that cannot be named
 */
export function addActions(owner: Construct, alarm: AlarmBase, actions: readonly IAlarmAction[]): void {
  const problems: Problem[] = [];
  if (actions.length > MOST_ACTIONS) {
    problems.push({ property: 'alarmActions', rule: `must be at most ${MOST_ACTIONS}`, value: actions.length });
  }
  const watched = actions.map(action => ({
    bind: (scope: Construct, bound: AlarmBase) => {
      const config = action.bind(scope, bound);
      warnOfUnreachableTopic(owner, config.alarmActionArn);
      problems.push(...namelessProblems(alarm, config.alarmActionArn));
      const place = placeOf(action, config.alarmActionArn);
      if (place) problems.push(...regionProblems(alarm, place));
      if (place && isElsewhere(alarm, place)) warnOfAnotherAccount(owner, place);
      return config;
    },
  }));
  alarm.addAlarmAction(...watched);
  throwProblems(owner.node.path, problems);
}

function warnOfAnotherAccount(owner: Construct, { account }: Place): void {
  const message = `An alarm speaks to account ${account}, and is not heard unless the policy there lets it in, and the key: an OpsTopic lets in the alarms of its own account alone.`;
  warn(owner, 'alarm-action-of-another-account', message);
}
