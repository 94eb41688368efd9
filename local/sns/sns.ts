import type { Api, InputOf, OutputOf } from '../kernel/api';
import { AwsError } from '../kernel/aws-error';
import { administrator, type Caller } from '../kernel/caller';
import type { Place } from '../kernel/place';
import type { ServiceContext } from '../kernel/services';
import { SNS_ACTIONS } from './actions';
import type { SnsAction } from './actions/sns-action';
import { withSourceOwner } from './default-topic-policy';
import { type DispatchOptions, makeDispatch } from './delivery/dispatch';
import { Directory } from './directory';
import { notImplemented } from './errors';
import type { SnsHappening } from './happenings';
import type { SnsNeighbours } from './ports';
import { nameOf } from './principal';
import type { SnsActionName, SnsActions } from './sns-actions';
import type { SnsWorld } from './sns-world';
import type { Subscription } from './subscription';
import type { Recipients } from './transports/recipients';

/** How this SNS differs from the plainest one. */
export type SnsOptions = DispatchOptions;

/** An endpoint that receives nothing until somebody confirms. */
export type PendingConfirmation = Pick<Subscription, 'arn' | 'protocol' | 'endpoint' | 'token'> & {
  readonly topicArn: string;
};

const PUBLISHING: readonly SnsActionName[] = ['Publish', 'PublishBatch'];

/** A refusal by IAM, with why for whoever reads the trace. */
class AuthorizationError extends AwsError {
  constructor(
    message: string,
    readonly reason: string,
  ) {
    super('AuthorizationError', message, 403);
  }
}

/**
 * Amazon SNS: standard topics with subscribers of every protocol.
 * @see https://docs.aws.amazon.com/sns/latest/dg/welcome.html
 */
export class Sns implements Api<SnsActions> {
  /** Everybody who receives by e-mail, text message, mobile push or Firehose: what they got, and how they answer. */
  readonly recipients: Recipients;
  /** Where it is. */
  readonly place: Place;
  /** An administrator of its account, in whose name CloudFormation works. */
  readonly owner: Caller;
  private readonly world: SnsWorld;

  constructor(
    private readonly context: ServiceContext<SnsHappening>,
    neighbours: SnsNeighbours,
    options: SnsOptions = {},
  ) {
    const dispatch = makeDispatch(context, neighbours, options);
    this.place = context.place;
    this.owner = administrator(context.place.account);
    this.recipients = dispatch.recipients;
    this.world = { context, directory: new Directory(), dispatch };
  }

  call<Name extends SnsActionName>(
    name: Name,
    caller: Caller,
    input: InputOf<SnsActions[Name]>,
  ): OutputOf<SnsActions[Name]> {
    if (!this.implements(name)) throw notImplemented(name);
    const action: SnsAction<Name> = SNS_ACTIONS[name];
    const topicArn = action.topicArn(this.world, input) ?? '*';
    try {
      this.admit(name, action.permission, caller, topicArn);
      return action.run(this.world, { caller, input, requestId: this.context.random.uuid() });
    } catch (error) {
      if (error instanceof AwsError && PUBLISHING.includes(name)) this.recordRefusal(topicArn, error);
      throw error;
    }
  }

  /** Whether SNS answers an action here; every other one is refused by name. */
  implements(action: string): boolean {
    return Object.hasOwn(SNS_ACTIONS, action);
  }

  hasTopic(topicArn: string): boolean {
    return this.world.directory.findTopic(topicArn) !== undefined;
  }

  /** Every subscription that waits to be confirmed, in the order in which they were made. */
  get pendingConfirmations(): readonly PendingConfirmation[] {
    return this.world.directory.subscriptions
      .filter(({ pending }) => pending)
      .map(({ arn, protocol, endpoint, token, topic }) => ({ arn, protocol, endpoint, token, topicArn: topic.arn }));
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

  /** @throws AwsError by a fault that was set, or for want of permission */
  private admit(name: SnsActionName, permission: string | undefined, caller: Caller, topicArn: string): void {
    const { faults, access, place } = this.context;
    const fault = faults.check('sns', name, topicArn);
    if (fault) throw fault;
    if (permission === undefined) return;
    const resourcePolicy = this.world.directory.findTopic(topicArn)?.policy;
    const { allowed, reason } = access.decide({
      caller: withSourceOwner(caller),
      action: permission,
      resource: topicArn,
      ...(resourcePolicy && { resourcePolicy }),
    });
    if (allowed) return;
    const action = permission.replace('sns:', 'SNS:');
    const who = nameOf(caller, place.partition);
    throw new AuthorizationError(
      `User: ${who} is not authorized to perform: ${action} on resource: ${topicArn}`,
      reason,
    );
  }

  private recordRefusal(topicArn: string, error: AwsError): void {
    this.context.trace.record({
      type: 'sns.publish-refused',
      topicArn,
      code: error.code,
      message: error.message,
      ...(error instanceof AuthorizationError && { reason: error.reason }),
    });
  }
}
