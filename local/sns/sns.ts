import { notAuthorized } from '../kernel/caller';
import type { Place } from '../kernel/place';
import { type AccessDenied, RequestChecks, ServiceApi, type ServiceContext } from '../kernel/service-api';
import { SNS_ACTIONS, type SnsActions } from './actions';
import { type DeliveryOptions, makeDeliveryServices } from './delivery/delivery-services';
import type { Phones } from './direct-messages/text-messages';
import type { SnsDependencies } from './ports';
import type { SnsState } from './sns-state';
import { Directory } from './topic/directory';
import type { Subscription } from './topic/topic-and-subscription';
import { withSourceOwner } from './topic/topic-policy';
import type { SnsTraceEvent } from './trace-events';
import type { Recipients } from './transports/recorded-transport';

/** Options of the embedded SNS. */
export interface SnsOptions extends DeliveryOptions {
  /**
   * ARNs of devices (platform endpoints) that are registered at the start. A template can subscribe a device, but cannot
   * register one, and SNS refuses to subscribe a device that is not registered. @default - none
   */
  readonly devices?: readonly string[];
}

/** A subscription that receives nothing until it is confirmed. */
export type PendingConfirmation = Pick<Subscription, 'arn' | 'protocol' | 'endpoint'> & {
  readonly topicArn: string;
  readonly token: string;
};

/** What takes the messages of a topic. */
type SubscriptionSummary = Pick<Subscription, 'arn' | 'endpoint' | 'filterPolicy'> & { readonly topicArn: string };

/** SNS writes its own permissions in capitals. */
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
export class Sns extends ServiceApi<SnsState, SnsActions> {
  /** The recipients of e-mail, text messages, mobile push and Firehose: what they received, and how they respond. */
  readonly recipients: Recipients;
  /** Phone numbers that have opted out. `optOut` does what a STOP reply to a text message does. */
  readonly phones: Phones;
  /** Account and Region. */
  readonly place: Place;
  /** The topics and subscriptions. */
  readonly directory: Directory;

  constructor(context: ServiceContext<SnsTraceEvent>, dependencies: SnsDependencies, options: SnsOptions = {}) {
    const services = makeDeliveryServices(context, dependencies, options);
    for (const arn of options.devices ?? []) services.platforms.register(arn);
    const directory = new Directory();
    dependencies.sqs.whenDeleted(queueArn => directory.queueDeleted(queueArn));
    const ownSubscriptions = (): readonly Subscription[] =>
      (dependencies.directories?.() ?? [directory])
        .flatMap(({ subscriptions }) => subscriptions)
        .filter(({ owner }) => owner === context.place.account);
    const admission = { ...context, access: withSourceOwner(context.access) };
    const checks = new RequestChecks('sns', admission, authorizationError(context.place));
    super(checks, SNS_ACTIONS, { context, directory, services, ownSubscriptions });
    this.place = context.place;
    this.recipients = services.recipients;
    this.phones = services.phones;
    this.directory = directory;
  }

  /** All topics in the order in which they were created, with the number of their subscriptions. */
  topics(): readonly { readonly name: string; readonly arn: string; readonly subscriptions: number }[] {
    return this.directory.topics.map(({ name, arn, subscriptions }) => {
      return { name, arn, subscriptions: subscriptions.length };
    });
  }

  subscriptions(): readonly SubscriptionSummary[] {
    return this.directory.subscriptions.map(({ arn, topic, endpoint, filterPolicy }) => {
      return { arn, topicArn: topic.arn, endpoint, filterPolicy };
    });
  }

  hasTopic(topicArn: string): boolean {
    return this.directory.findTopic(topicArn) !== undefined;
  }

  /** Every pending subscription, in the order in which they were created. */
  get pendingConfirmations(): readonly PendingConfirmation[] {
    return this.directory.subscriptions
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
   * Confirms the pending subscriptions of an endpoint, as its owner does with the token from the confirmation message.
   * Until then, e-mail subscriptions receive nothing, nor do HTTP/S endpoints that do not confirm by themselves.
   * @returns the number of subscriptions that were confirmed
   */
  confirm(endpoint: string): number {
    const waiting = this.pendingConfirmations.filter(pending => pending.endpoint === endpoint);
    for (const { topicArn, token } of waiting) {
      this.call('ConfirmSubscription', this.owner, { TopicArn: topicArn, Token: token });
    }
    return waiting.length;
  }
}
