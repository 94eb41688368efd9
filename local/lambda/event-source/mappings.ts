import { conflict } from '../errors';
import type { LambdaContext, Queues } from '../ports';
import { EventSourceMapping, type MappingChanges } from './event-source-mapping';
import { type MappingProblem, mappingProblems } from './mapping-rules';

/** The event source mappings of the account. */
export class Mappings {
  private readonly byUuid = new Map<string, EventSourceMapping>();

  constructor(
    private readonly sqs: Queues,
    private readonly context: LambdaContext,
    private readonly mostFilters: number,
  ) {}

  /** In the order in which they were created. */
  all(): readonly EventSourceMapping[] {
    return [...this.byUuid.values()];
  }

  find(uuid: string): EventSourceMapping | undefined {
    return this.byUuid.get(uuid);
  }

  /** Everything AWS has against a mapping, new or changed. */
  problems({ configuration, target }: MappingChanges, except?: EventSourceMapping): readonly MappingProblem[] {
    const { sqs, context, mostFilters } = this;
    const problems = mappingProblems(configuration, target, { sqs, context, mostFilters });
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
   * @param delayMs until it is what it is to be
   * @throws AwsError the first of its problems
   */
  create(wanted: MappingChanges, delayMs: number): EventSourceMapping {
    this.refuseFirst(this.problems(wanted));
    const mapping = new EventSourceMapping(this.context.random.uuid(), wanted, this.sqs, this.context);
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

  /** Stops them all, for good. */
  close(): void {
    for (const mapping of this.byUuid.values()) mapping.close();
  }

  private refuseFirst([first]: readonly MappingProblem[]): void {
    if (first) throw first.error;
  }
}
