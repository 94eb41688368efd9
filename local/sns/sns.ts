import { administrator, type Caller, notAuthorized } from '../kernel/caller';
import type { Place } from '../kernel/place';
import {
  type AccessDenied,
  type Api,
  type InputOf,
  type OutputOf,
  RequestChecks,
  ServiceApi,
  type ServiceContext,
} from '../kernel/service-api';
import { SNS_ACTIONS } from './actions';
import { type DeliveryOptions, makeDeliveryServices } from './delivery/delivery-services';
import { Directory, type SnsInternals } from './directory';
import type { SnsDependencies } from './ports';
import type { SnsActionName, SnsActions } from './sns-actions';
import type { Phones } from './text-messages';
import type { Subscription } from './topic';
import { withSourceOwner } from './topic-policy';
import type { SnsTraceEvent } from './trace-events';
import type { Recipients } from './transports/recorded-transport';

/** How this SNS differs from the plainest one. */
export type SnsOptions = DeliveryOptions;

/** An endpoint that receives nothing until somebody confirms. */
export type PendingConfirmation = Pick<Subscription, 'arn' | 'protocol' | 'endpoint'> & {
  readonly topicArn: string;
  readonly token: string;
};

/** SNS spells its own permissions in capitals. */
const authorizationError =
  ({ partition }: Place): AccessDenied =>
  (caller, permission, { arn }) => ({
    code: 'AuthorizationError',
    message: notAuthorized(caller, partition, permission.replace('sns:', 'SNS:'), arn),
    httpStatus: 403,
  });

/**
 * Amazon SNS: standard and FIFO topics with subscribers of every protocol, and messages to single devices and phones.
 * @see https://docs.aws.amazon.com/sns/latest/dg/welcome.html
 */
export class Sns implements Api<SnsActions> {
  /** Everybody who receives by e-mail, text message, mobile push or Firehose: what they got, and how they answer. */
  readonly recipients: Recipients;
  /** Who wants no text messages: `optOut` is what the owner of a phone does by answering STOP. */
  readonly phones: Phones;
  /** Where it is. */
  readonly place: Place;
  /** An administrator of its account, in whose name CloudFormation works. */
  readonly owner: Caller;
  private readonly internals: SnsInternals;
  private readonly api: ServiceApi<SnsInternals, SnsActions>;

  constructor(context: ServiceContext<SnsTraceEvent>, neighbours: SnsDependencies, options: SnsOptions = {}) {
    const services = makeDeliveryServices(context, neighbours, options);
    this.place = context.place;
    this.owner = administrator(context.place.account);
    this.recipients = services.recipients;
    this.phones = services.phones;
    const directory = new Directory();
    neighbours.sqs.whenDeleted(queueArn => directory.queueDeleted(queueArn));
    this.internals = { context, directory, services };
    const admission = { ...context, access: withSourceOwner(context.access) };
    this.api = new ServiceApi(
      new RequestChecks('sns', admission, authorizationError(context.place)),
      SNS_ACTIONS,
      this.internals,
    );
  }

  call<Name extends SnsActionName>(
    name: Name,
    caller: Caller,
    input: InputOf<SnsActions[Name]>,
  ): OutputOf<SnsActions[Name]> {
    return this.api.call(name, caller, input);
  }

  /** Whether SNS answers an action here; every other one is refused by name. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }

  /** All topics, in the order in which they were created, and how many subscribe to each. */
  topics(): readonly { readonly name: string; readonly arn: string; readonly subscriptions: number }[] {
    return this.internals.directory.topics.map(({ name, arn, subscriptions }) => {
      return { name, arn, subscriptions: subscriptions.length };
    });
  }

  hasTopic(topicArn: string): boolean {
    return this.internals.directory.findTopic(topicArn) !== undefined;
  }

  /** Every subscription that waits to be confirmed, in the order in which they were made. */
  get pendingConfirmations(): readonly PendingConfirmation[] {
    return this.internals.directory.subscriptions
      .filter(({ pending }) => pending)
      .map(({ arn, protocol, endpoint, token, topic }) => ({
        arn,
        protocol,
        endpoint,
        token: token.text,
        topicArn: topic.arn,
      }));
  }

  /**
   * Does what the owner of an endpoint does to confirm: shows the token of every subscription of it that waits. E-mail
   * subscriptions, and HTTP/S endpoints that do not confirm by themselves, receive nothing before.
   *
   * @returns how many subscriptions there were to confirm
   */
  confirm(endpoint: string): number {
    const waiting = this.pendingConfirmations.filter(pending => pending.endpoint === endpoint);
    for (const { topicArn, token } of waiting) {
      this.call('ConfirmSubscription', this.owner, { TopicArn: topicArn, Token: token });
    }
    return waiting.length;
  }
}
