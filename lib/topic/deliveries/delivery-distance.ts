import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import { isOptIn } from '../../shared/access/regions';
import type { Warning } from '../../shared/warnings';
import { protocolFacts } from './protocols';
import type { Recipient } from './recipient';

interface Whereabouts {
  readonly account: string;
  readonly region: string;
}

/** An ARN that is known says it best: not every construct that was imported by one does. */
function whereaboutsOf({ protocol, endpoint, consumer }: Recipient): Whereabouts | undefined {
  const hasArn = protocolFacts(protocol).arn !== undefined && !Token.isUnresolved(endpoint);
  const [, , , region, account] = hasArn ? endpoint.split(':') : [];
  return region && account ? { account, region } : consumer?.env;
}

function differs(one: string, other: string): boolean {
  return Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
}

function whyUnreachable(from: string, to: string, protocol: string): string | undefined {
  const { crossRegion, toOptIn } = protocolFacts(protocol);
  if (!differs(from, to)) return undefined;
  if (!crossRegion) return `SNS delivers by ${protocol} within its own Region`;
  if (isOptIn(from) && isOptIn(to)) return 'SNS does not deliver from one opt-in Region to another';
  return isOptIn(to) && !toOptIn ? `SNS does not deliver by ${protocol} to an opt-in Region` : undefined;
}

/** What is to be said of a recipient SNS does not reach, or not before its owner has confirmed. */
export function distanceWarnings(scope: IConstruct, topic: ITopic, recipient: Recipient): Warning[] {
  const there = whereaboutsOf(recipient);
  if (!there) return [];
  const { value } = recipient.named;
  const reason = whyUnreachable(topic.env.region, there.region, recipient.protocol);
  const warnings: Warning[] = [];
  if (reason) {
    const message = `${value} is in ${there.region}, the topic in ${topic.env.region}. ${reason}: its messages become dead letters.`;
    warnings.push({ id: 'cross-region-unsupported', message });
  }
  if (differs(Stack.of(scope).account, there.account)) {
    const message = `${value} is of account ${there.account}, which must confirm the subscription: until then nothing is delivered, and nothing kept. Subscribe it from a stack of that account, and it need not.`;
    warnings.push({ id: 'confirmation-needed', message });
  }
  return warnings;
}
