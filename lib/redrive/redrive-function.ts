import { Duration, Stack } from 'aws-cdk-lib';
import type { IStringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { REDRIVE_SETTINGS_VARIABLE } from '../../policy/redrive/redrive-settings';
import { addOwnFunction, type OwnFunction } from '../shared/own-functions/own-function';
import { grantOnMappings, mappingIdsOf } from './mappings-of';
import { ownKillSwitch } from './own-switch';
import { grantAccess } from './redrive-access';
import type { RedrivePlan } from './redrive-plan';
import type { RedriveProps } from './redrive-props';
import { settingsOf } from './redrive-settings';

/** How long a look may wait for one that copies or replays, before Lambda drops it: those that follow see the same. Our choice. */
const LATEST_LOOK = Duration.minutes(5);

/** The function of a redrive, and what switches it. */
export interface RedriveFunction extends OwnFunction {
  readonly killSwitch: IStringParameter;
}

/** Makes the function of a redrive. Its role may move letters from the one queue to the one destination, and look. */
export function addRedriveFunction(scope: Construct, props: RedriveProps, terms: RedrivePlan): RedriveFunction {
  const { logRetention, removalPolicy, destination } = props;
  const killSwitch = props.killSwitch ?? ownKillSwitch(scope);
  const mappingIds = () => mappingIdsOf(scope, destination);
  const settings = settingsOf(props, terms, { name: scope.node.path, killSwitch, mappingIds });
  const own = addOwnFunction(scope, {
    bundle: 'redrive',
    description: 'Sends dead letters home, a few at first, and watches what becomes of them.',
    roleDescription: 'Lets a function send the letters of one dead-letter queue to one destination, and write its log.',
    timeout: terms.timeout,
    memorySize: terms.memorySize,
    // A look may be repeated, for it looks anew; and what the one look could not say or begin that had to, no other will.
    retryAttempts: 2,
    maxEventAge: LATEST_LOOK,
    logRetention,
    removalPolicy,
    environment: { [REDRIVE_SETTINGS_VARIABLE]: Stack.of(scope).toJsonString(settings) },
    ...(terms.mayCarry && { reservedConcurrentExecutions: 1 }),
  });
  grantAccess(scope, props, { role: own.role, killSwitch, mayCarry: terms.mayCarry });
  grantOnMappings(scope, own.role, mappingIds);
  return { ...own, killSwitch };
}
