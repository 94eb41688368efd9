import { Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { feed } from '../queue/feeders/feed';
import { roleFeeder } from '../queue/feeders/makers';
import type { ProcessingQueue } from '../queue/processing-queue';
import { grantSecretValue } from '../shared/access/secret';
import { addOwnFunction, type OwnFunction } from '../shared/own-functions/own-function';
import type { HttpRelayProps } from './http-relay-props';
import { networkOf } from './relay-network';
import type { RelayPlan } from './relay-plan';
import { settingsOf } from './relay-settings';

/** The function of a relay. Its role may take from the relay's queue and send to its dead-letter queue, and read the secrets. */
export function addRelayFunction(
  scope: Construct,
  queue: ProcessingQueue,
  props: HttpRelayProps,
  plan: RelayPlan,
): OwnFunction {
  const settings = settingsOf(props, queue, plan);
  const own = addOwnFunction(scope, {
    bundle: 'relay',
    description: 'Posts messages of SNS to an endpoint, and tries again by its schedule.',
    roleDescription: 'Lets the function of a relay take messages from its queue, and write its log.',
    timeout: Duration.seconds(plan.timeoutSeconds),
    logRetention: props.logRetention,
    removalPolicy: props.removalPolicy,
    environment: { RELAY_SETTINGS: Stack.of(scope).toJsonString(settings) },
    ...networkOf(props),
  });
  feed(scope, queue.deadLetters, roleFeeder(own.handler));
  const { endpoint, headersSecret, signingSecret } = props;
  for (const secret of new Set([endpoint.secret, headersSecret, signingSecret])) {
    if (secret) grantSecretValue(secret, own.role);
  }
  return own;
}
