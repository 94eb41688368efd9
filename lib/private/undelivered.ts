import { type IResource, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { type ITopic, type Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import { warn } from './checks';
import { protocolFacts } from './protocols';
import { isOptIn } from './service-access';

interface Warning {
  readonly id: string;
  readonly message: string;
}

const KEEPS_NOTHING: Warning = {
  id: 'no-dead-letter-queue',
  message: 'What cannot be delivered is thrown away: use deliverTo…, or give the subscription a dead-letter queue.',
};

/** SNS can keep undeliverable SMS, but `SmsSubscription` drops the queue it is given, without a word. */
const SMS: Warning = {
  id: 'sms-without-dead-letter-queue',
  message:
    'What cannot be delivered is thrown away: SmsSubscription drops the deadLetterQueue you may have given it. Use deliverToSms.',
};

/** Warns of a subscription that keeps nothing, and says what to do about it. */
export function warnOfNoDeadLetterQueue(subscription: Subscription, protocol: string): void {
  const { id, message } = protocol === SubscriptionProtocol.SMS ? SMS : KEEPS_NOTHING;
  warn(subscription, id, message);
}

/** SNS takes a number without its country code, and guesses. */
export function warnOfLocalNumber(scope: IConstruct): void {
  const message = 'The phone number has no + and country code before it, as in +15550100: a text may reach nobody.';
  warn(scope, 'phone-number-not-e164', message);
}

function regionProblem(topic: ITopic, protocol: string, to: string): string | undefined {
  const from = topic.env.region;
  if (Token.compareStrings(from, to) !== TokenComparison.DIFFERENT) return undefined;
  const { crossRegion, toOptIn } = protocolFacts(protocol);
  if (!crossRegion) return `SNS delivers by ${protocol} within its own Region`;
  if (isOptIn(to) && isOptIn(from)) return 'SNS does not deliver from one opt-in Region to another';
  return isOptIn(to) && !toOptIn ? `SNS does not deliver by ${protocol} to an opt-in Region` : undefined;
}

/** Warns of a consumer that SNS does not reach, or not before its owner has said so. */
export function warnOfDistance(scope: IConstruct, topic: ITopic, protocol: string, { env, node }: IResource): void {
  const unreachable = regionProblem(topic, protocol, env.region);
  if (unreachable) {
    const message = `${node.path} is in ${env.region}, the topic in ${topic.env.region}. ${unreachable}: its messages become dead letters.`;
    warn(scope, 'cross-region-unsupported', message);
  }
  if (Token.compareStrings(Stack.of(scope).account, env.account) === TokenComparison.DIFFERENT) {
    const message = `${node.path} is of account ${env.account}, which must confirm the subscription: until then nothing is delivered, and nothing kept. Subscribe it from a stack of that account, and it need not.`;
    warn(scope, 'confirmation-needed', message);
  }
}

/** The topic's policy stands, whatever a subscription says. */
export function warnOfOverriddenPolicy(scope: IConstruct): void {
  const message =
    'Its deliveryPolicy has no effect, for the topic has disableSubscriptionOverrides: leave one of both out.';
  warn(scope, 'delivery-policy-overridden', message);
}
