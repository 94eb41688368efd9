import type { ResourceStatus, StackStatus } from '@aws-sdk/client-cloudformation';
import { ownMember } from '../../policy/json-members';
import { isObject, type JsonObject } from '../kernel/json';
import type { StackArtifact } from './assembly';
import type { Output, TemplateParameter } from './plan-stack';
import type { CreatedResource } from './resource-type';

export interface ResourceRecord {
  readonly logicalId: string;
  readonly type: string;
  readonly status: ResourceStatus | StackStatus;
  /** Undefined before it has one. */
  readonly physicalId: string | undefined;
  /** Why it failed. */
  readonly reason: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly changedAtMs: number;
}

interface StackEvent extends ResourceRecord {
  readonly eventId: string;
  /** The properties a resource was created with, as JSON. */
  readonly properties: string | undefined;
}

/** A resource that a stack has, and what is needed to change or delete it. */
export interface LiveResource extends CreatedResource {
  readonly logicalId: string;
  readonly type: string;
  /** The path of its construct, where the assembly has it. */
  readonly path?: string;
  /** Evaluated, with every reference resolved. */
  readonly properties: JsonObject;
  readonly shownProperties: string;
  /** The random end of its name. */
  readonly suffix: string;
  /** The resources of the stack that it depends on. */
  readonly needs: ReadonlySet<string>;
  readonly deletionPolicy: string;
  /** Whether a stand-in took its place, because it is not simulated. */
  readonly isStandIn: boolean;
}

export type KnownOutput = Omit<Output, 'value'> & { readonly value: string };

/** The parts of a stack that never change. */
interface StackDescription {
  readonly name: string;
  /** Its ARN. */
  readonly id: string;
  readonly createdAtMs: number;
  /** The stack whose template nests this one. */
  readonly parent: StackRecord | undefined;
  /** How many stacks have had this name, from 1. */
  readonly incarnation: number;
}

/** The text that the API shows instead of a hidden value. */
export const MASK = '****';

const STACK_TYPE = 'AWS::CloudFormation::Stack';

export class StackRecord {
  readonly resources = new Map<string, ResourceRecord>();
  /** The resources that exist, in the order of creation. */
  live: ReadonlyMap<string, LiveResource> = new Map();
  /** Oldest first. */
  readonly events: StackEvent[] = [];
  outputs: readonly KnownOutput[] = [];
  parameters: readonly TemplateParameter[] = [];
  /** The values that were given for parameters. */
  given: Readonly<Record<string, string>> = {};
  /** The exports of other stacks that it uses. */
  imports: ReadonlySet<string> = new Set();
  status: StackStatus = 'CREATE_IN_PROGRESS';
  statusReason: string | undefined;
  updatedAtMs: number | undefined;
  deletedAtMs: number | undefined;
  isProtected = false;
  /** What happens if its creation fails. `DISABLED` is `DisableRollback`, after which it can be updated. */
  onFailure: 'ROLLBACK' | 'DO_NOTHING' | 'DELETE' | 'DISABLED' = 'ROLLBACK';
  /** The operation under way, which a deletion cancels. */
  running: { cancel(): Promise<void> } | undefined;
  listener: ((event: StackEvent) => void) | undefined;
  /** Made-up attributes by logical id and name. */
  readonly moreAttributes = new Map<string, Map<string, string | readonly string[]>>();
  /** How many physical resources each logical id has had. */
  private readonly generations = new Map<string, number>();

  constructor(
    readonly description: StackDescription,
    /** What it was last deployed from. */
    public artifact: StackArtifact,
    /** Draws the ids of events. */
    private readonly newEventId: () => string,
  ) {}

  get id(): string {
    return this.description.id;
  }

  get arn(): string {
    return this.description.id;
  }

  get name(): string {
    return this.description.name;
  }

  /** Undefined for a stack that is not nested. */
  get root(): StackRecord | undefined {
    const { parent } = this.description;
    return parent && (parent.root ?? parent);
  }

  get isDeleted(): boolean {
    return this.status === 'DELETE_COMPLETE';
  }

  get exports(): ReadonlyMap<string, string> {
    return new Map(
      this.outputs.flatMap(({ exportName, value }) => (exportName === undefined ? [] : [[exportName, value] as const])),
    );
  }

  /** The name of a stream of randomness for the next physical resource of a logical id. */
  nextResource(logicalId: string): string {
    const generation = (this.generations.get(logicalId) ?? 0) + 1;
    this.generations.set(logicalId, generation);
    const { name, incarnation } = this.description;
    const stack = incarnation === 1 ? name : `${name}#${incarnation}`;
    return generation === 1 ? `name/${stack}/${logicalId}` : `name/${stack}/${logicalId}#${generation}`;
  }

  /** @param properties as JSON, without secrets */
  noteResource(resource: ResourceRecord, properties: string): void {
    this.resources.set(resource.logicalId, resource);
    this.noteEvent(resource, properties);
  }

  /** Notes an event of a resource that is not the current one of its logical id. */
  noteEvent(resource: ResourceRecord, properties: string | undefined): void {
    const event = { ...resource, eventId: this.newEventId(), properties };
    this.events.push(event);
    this.listener?.(event);
  }

  /** Begins an operation, or ends one. */
  enter(status: StackStatus, changedAtMs: number, reason?: string): void {
    const { name, id } = this;
    this.status = status;
    this.statusReason = reason;
    this.noteEvent({ logicalId: name, type: STACK_TYPE, status, physicalId: id, reason, changedAtMs }, undefined);
  }

  /** The metadata of a resource in the template, which the API shows. */
  metadataOf(logicalId: string): unknown {
    const resources = this.artifact.template['Resources'];
    const resource = isObject(resources) ? ownMember(resources, logicalId) : undefined;
    return isObject(resource) ? resource['Metadata'] : undefined;
  }
}

/** The stacks of the account, in the order in which their creation started. Deleted stacks stay, with their ARN. */
export class StackDirectory {
  private readonly stacks = new Map<string, StackRecord>();

  /** @param everywhere the stacks of all accounts and Regions, in the order of their creation */
  constructor(private readonly everywhere: StackRecord[] = []) {}

  add(stack: StackRecord): void {
    this.stacks.set(stack.id, stack);
    this.everywhere.push(stack);
  }

  /** The position of a stack among those of all accounts and Regions, in the order of their creation. */
  positionOf(stack: StackRecord): number {
    return this.everywhere.indexOf(stack);
  }

  /** By name or ARN. A deleted stack has only its ARN. */
  find(nameOrId: string): StackRecord | undefined {
    return this.stacks.get(nameOrId) ?? this.all().find(({ name }) => name === nameOrId);
  }

  /** Stacks that are not deleted. */
  all(): readonly StackRecord[] {
    return this.everAll().filter(({ isDeleted }) => !isDeleted);
  }

  everAll(): readonly StackRecord[] {
    return [...this.stacks.values()];
  }

  countOf(stackName: string): number {
    return this.everAll().filter(({ name }) => name === stackName).length;
  }

  importersOf(exportName: string): readonly StackRecord[] {
    return this.all().filter(({ imports }) => imports.has(exportName));
  }
}
