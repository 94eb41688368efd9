import { arnIn } from '../../kernel/place';
import type { Resource } from '../../kernel/service-api';
import { ResourceTags } from '../../kernel/tags';
import type { Scheduled } from '../../kernel/timeline';
import { conflict, LAMBDA_TAGS, mappingInUse, resourceNotFound } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { Queues } from '../ports';
import type { LambdaContext } from '../trace-events';
import type { MappingConfiguration } from './mapping-configuration';
import { type MappingProblem, mappingProblems } from './mapping-rules';
import { sourceName } from './mapping-telemetry';
import { Poller } from './poller';
import { type PollerDependencies, StreamPoller } from './stream/stream-poller';

/**
 * How long a mapping is `Creating`, `Enabling`, `Disabling`, `Updating` or `Deleting`. **Assumption LAMBDA-8:** AWS
 * does not publish this; it says that a change may take up to a minute. A mapping that is being disabled or deleted
 * stops receiving at once. One that is being enabled or updated works as before until the end.
 */
export const TRANSITION_MS = 10_000;

/** @see https://docs.aws.amazon.com/lambda/latest/api/API_EventSourceMappingConfiguration.html */
type MappingState = 'Creating' | 'Enabling' | 'Enabled' | 'Disabling' | 'Disabled' | 'Updating' | 'Deleting';

export interface MappingChanges {
  readonly configuration: MappingConfiguration;
  readonly target: FunctionTarget;
  readonly enabled: boolean;
}

type MappingChange = `lambda.mapping-${'created' | 'enabled' | 'updated' | 'disabled' | 'deleted'}`;

/** An event source mapping: its configuration, its state, and the poller that does its work. */
export class EventSourceMapping implements Resource {
  readonly arn: string;
  readonly policy = undefined;
  readonly tags = new ResourceTags(LAMBDA_TAGS);
  private current: MappingState = 'Creating';
  private poller: Poller | StreamPoller;
  /** Replaces `poller` when an update takes effect. */
  private next: Poller | StreamPoller | undefined;
  private transition: Scheduled | undefined;
  private modifiedMs: number;
  private stopWatching: (() => void) | undefined;

  /** @throws EventPatternError for an invalid filter */
  constructor(
    readonly uuid: string,
    private wanted: MappingChanges,
    private readonly sqs: Queues,
    private readonly context: LambdaContext,
    private readonly dependencies: PollerDependencies,
  ) {
    this.arn = arnIn(context.place, 'lambda', `event-source-mapping:${uuid}`);
    this.poller = this.makePoller();
    const { queueArn: sourceArn, stream } = wanted.configuration;
    if (stream) {
      this.stopWatching = dependencies.streams.whenExpired(sourceArn, expired => {
        if (this.poller instanceof StreamPoller) this.poller.expire(expired);
      });
    }
    this.modifiedMs = context.timeline.nowMs;
    this.recordChange('lambda.mapping-created');
  }

  get state(): MappingState {
    return this.current;
  }

  get configuration(): MappingConfiguration {
    return this.wanted.configuration;
  }

  get target(): FunctionTarget {
    return this.wanted.target;
  }

  /** Whether it is meant to invoke its function. */
  get enabled(): boolean {
    return this.wanted.enabled;
  }

  get lastModifiedMs(): number {
    return this.modifiedMs;
  }

  /**
   * Ends the state `Creating` after a delay. CloudFormation uses no delay, because it waits for the mapping. Recorded on
   * AWS: a mapping that is created disabled is `Disabled` at once.
   */
  begin(delayMs: number): void {
    if (delayMs === 0 || !this.enabled) this.settle();
    else this.settleLater('Creating', delayMs);
  }

  /**
   * A mapping that is disabled before and after the change changes at once, because it has nothing to stop or start
   * (recorded on AWS).
   *
   * @throws AwsError `ResourceInUseException` during another change
   */
  update(changes: MappingChanges): void {
    this.checkSettled('update');
    const before = this.wanted;
    this.wanted = changes;
    const isOther = changes.configuration !== before.configuration || changes.target !== before.target;
    if (isOther) this.next = this.makePoller();
    if (!changes.enabled) this.stopPolling();
    this.modifiedMs = this.context.timeline.nowMs;
    if (!before.enabled && !changes.enabled) {
      this.recordChange('lambda.mapping-updated');
      this.settle();
      return;
    }
    this.settleLater(stateDuring(before.enabled, changes.enabled), TRANSITION_MS);
  }

  /**
   * @param gone called when the mapping has been deleted
   * @throws AwsError `ResourceInUseException` during another change
   */
  delete(gone: () => void): void {
    this.checkSettled('delete');
    this.stopPolling();
    this.current = 'Deleting';
    this.transition = this.context.timeline.after(TRANSITION_MS, () => {
      if (this.poller instanceof StreamPoller) this.poller.abandon();
      this.stopWatching?.();
      this.recordChange('lambda.mapping-deleted');
      gone();
    });
  }

  /** Stops immediately and permanently. */
  close(): void {
    this.transition?.cancel();
    this.stopWatching?.();
    this.poller.stop();
  }

  private settleLater(state: MappingState, delayMs: number): void {
    this.current = state;
    this.transition = this.context.timeline.after(delayMs, () => {
      if (state !== 'Creating') this.recordChange('lambda.mapping-updated');
      this.settle();
    });
  }

  private settle(): void {
    const wasPolling = this.poller.isPolling;
    if (this.next) {
      const { next, poller } = this;
      if (next instanceof Poller && poller instanceof Poller) next.takeOver(poller);
      if (next instanceof StreamPoller && poller instanceof StreamPoller) next.takeOver(poller);
      this.poller = this.next;
      this.next = undefined;
    }
    this.current = this.wanted.enabled ? 'Enabled' : 'Disabled';
    if (!this.wanted.enabled) return;
    this.poller.start();
    if (!wasPolling) this.recordChange('lambda.mapping-enabled');
  }

  private stopPolling(): void {
    if (!this.poller.isPolling) return;
    this.poller.stop();
    this.recordChange('lambda.mapping-disabled');
  }

  private makePoller(): Poller | StreamPoller {
    const { configuration, target } = this.wanted;
    const { stream } = configuration;
    if (stream) return new StreamPoller(this.uuid, configuration, target, stream, this.context, this.dependencies);
    return new Poller(this.uuid, configuration, target, this.sqs, this.context, this.dependencies.roles);
  }

  private checkSettled(what: 'update' | 'delete'): void {
    if (this.current !== 'Enabled' && this.current !== 'Disabled') throw mappingInUse(what);
  }

  private recordChange(type: MappingChange): void {
    const { configuration, target } = this.wanted;
    const about = { mappingId: this.uuid, functionArn: target.deployed.arn, ...sourceName(configuration.queueArn) };
    this.context.trace.record({ type, ...about });
  }
}

function stateDuring(before: boolean, after: boolean): MappingState {
  if (before === after) return 'Updating';
  return after ? 'Enabling' : 'Disabling';
}

export class Mappings {
  private readonly byUuid = new Map<string, EventSourceMapping>();

  constructor(
    private readonly sqs: Queues,
    private readonly context: LambdaContext,
    private readonly mostFilters: number,
    private readonly dependencies: PollerDependencies,
  ) {}

  /** In the order of creation. */
  all(): readonly EventSourceMapping[] {
    return [...this.byUuid.values()];
  }

  find(uuid: string): EventSourceMapping | undefined {
    return this.byUuid.get(uuid);
  }

  get(uuid: string): EventSourceMapping {
    const found = this.byUuid.get(uuid);
    if (found) return found;
    throw resourceNotFound();
  }

  /** Returns all reasons for which AWS rejects a new or changed mapping. */
  problems({ configuration, target }: MappingChanges, except?: EventSourceMapping): readonly MappingProblem[] {
    const { sqs, context, mostFilters } = this;
    const { roles } = this.dependencies;
    const problems = mappingProblems(configuration, target, { sqs, context, mostFilters, roles });
    const twin = this.all().find(
      mapping =>
        mapping !== except && mapping.configuration.queueArn === configuration.queueArn && mapping.target === target,
    );
    if (!twin) return problems;
    const text =
      `An event source mapping with SQS arn (" ${configuration.queueArn} ") and function (" ${target.deployed.name} ") ` +
      `already exists. Please update or delete the existing mapping with UUID ${twin.uuid}`;
    return [...problems, { property: 'EventSourceArn', error: conflict(text) }];
  }

  /**
   * @param delayMs how long the mapping is `Creating`
   * @throws AwsError the first of its problems
   */
  create(wanted: MappingChanges, delayMs: number): EventSourceMapping {
    this.refuseFirst(this.problems(wanted));
    const mapping = new EventSourceMapping(
      this.context.random.uuid(),
      wanted,
      this.sqs,
      this.context,
      this.dependencies,
    );
    this.byUuid.set(mapping.uuid, mapping);
    mapping.begin(delayMs);
    return mapping;
  }

  /** @throws AwsError the first of its problems, or `ResourceInUseException` */
  update(mapping: EventSourceMapping, wanted: MappingChanges): void {
    this.refuseFirst(this.problems(wanted, mapping));
    mapping.update(wanted);
  }

  /** @throws AwsError `ResourceInUseException` */
  delete(mapping: EventSourceMapping): void {
    mapping.delete(() => this.byUuid.delete(mapping.uuid));
  }

  close(): void {
    for (const mapping of this.byUuid.values()) mapping.close();
  }

  private refuseFirst([first]: readonly MappingProblem[]): void {
    if (first) throw first.error;
  }
}
