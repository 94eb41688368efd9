import type { InputOf, OutputOf } from '../../kernel/api';
import type { Resource } from '../../kernel/doorkeeper';
import type { ServiceAction } from '../../kernel/front-door';
import type { SnsActionName, SnsActions } from '../sns-actions';
import type { SnsInternals } from '../sns-world';

/** One API action: who may call it, which topic it is about, and what it does. */
export type SnsAction<Name extends SnsActionName> = ServiceAction<
  SnsInternals,
  InputOf<SnsActions[Name]>,
  OutputOf<SnsActions[Name]>
>;

/** What an action on this topic is about, whether or not there is such a topic; `*` for an action on none. */
export function topicAt({ directory }: SnsInternals, topicArn: string | undefined): Resource {
  return directory.findTopic(topicArn) ?? { arn: topicArn ?? '*' };
}

/** What an action on this subscription is about: its topic. */
export function topicOfSubscription({ directory }: SnsInternals, subscriptionArn: string | undefined): Resource {
  return directory.findSubscription(subscriptionArn)?.topic ?? { arn: '*' };
}

/** Something that has no policy of its own. */
export function snsResource(arn: string | undefined): Resource {
  return { arn: arn ?? '*' };
}
