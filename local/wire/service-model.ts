import { NormalizedSchema } from '@smithy/core/schema';
import type { StaticErrorSchema, StaticOperationSchema, StaticStructureSchema } from '@smithy/types';

/** The first element of a static schema says what it describes. */
const OPERATION = 9;
const STRUCTURE = 3;
const ERROR = -3;

/** Where an operation of a REST service lives. */
export interface HttpBinding {
  readonly method: string;
  /** For example `/2015-03-31/functions/{FunctionName}/invocations`. */
  readonly path: string;
  /** Of an answer that went well. */
  readonly status: number;
}

/** One API action, as the SDK's own client describes it. Its shapes are read when they are first asked for. */
export class Operation {
  private inputSchema: NormalizedSchema | undefined;
  private outputSchema: NormalizedSchema | undefined;
  private required: readonly string[] | undefined;

  constructor(private readonly schema: StaticOperationSchema) {}

  get name(): string {
    return this.schema[2];
  }

  get input(): NormalizedSchema {
    this.inputSchema ??= NormalizedSchema.of(this.schema[4]);
    return this.inputSchema;
  }

  get output(): NormalizedSchema {
    this.outputSchema ??= NormalizedSchema.of(this.schema[5]);
    return this.outputSchema;
  }

  /** The members its input must have. */
  get requiredMembers(): readonly string[] {
    this.required ??= requiredIn(this.input.getSchema());
    return this.required;
  }

  /** Undefined where operations are told apart by name alone. */
  get http(): HttpBinding | undefined {
    const traits = this.schema[3];
    if (typeof traits !== 'object' || !traits.http) return undefined;
    const [method, path, status] = traits.http;
    return { method, path, status };
  }
}

/** How a service words an error of its own. */
export interface ErrorShape {
  /** For example `com.amazonaws.sqs#QueueDoesNotExist`. */
  readonly fullName: string;
  /** `message`, or `Message` in services that write it so. */
  readonly messageMember: string;
  /** Whether it says whose fault it is, as Lambda's do. */
  readonly hasType: boolean;
}

export interface ServiceIdentity {
  /** The service in host names and signatures, for example `sqs`. */
  readonly name: string;
  /** What the SDKs call it, in lower case and without blanks, as universal targets of schedules do. @default - its name */
  readonly sdkName?: string;
  /** What stands before the action in `X-Amz-Target`. @default '' */
  readonly targetPrefix?: string;
  /** The version of AWS JSON its clients speak. @default '1.0' */
  readonly jsonVersion?: '1.0' | '1.1';
  /** Whether its clients used to speak the query protocol, and still want to know the error's old code. @default false */
  readonly queryCompatible?: boolean;
  /** @default - the name of its host */
  readonly xmlNamespace?: string;
  /** Actions that need no signature: the links SNS mails to people. @default none */
  readonly unsignedActions?: readonly string[];
  /**
   * The members of its answers that hold URLs of AWS, or `any` of them: a client that reaches AWS at another address is
   * told that one.
   *
   * @default none
   */
  readonly urlMembers?: readonly string[] | 'any';
  /** Whether it also answers for all Regions at a host without one, such as `iam.amazonaws.com`. @default false */
  readonly isGlobal?: boolean;
  /**
   * The code by which AWS refuses a request without a member that its model says must be there.
   *
   * @default - the service itself refuses it, in words of its own
   */
  readonly missingMemberCode?: string;
}

/**
 * What the wire has to know of a service; the shapes come from its SDK client, none is written here. The client is loaded,
 * and each shape read, when somebody first asks for it.
 */
export class ServiceModel {
  readonly name: string;
  readonly sdkName: string;
  readonly targetPrefix: string;
  readonly jsonVersion: '1.0' | '1.1';
  readonly queryCompatible: boolean;
  readonly xmlNamespace: string;
  readonly unsignedActions: readonly string[];
  readonly urlMembers: readonly string[] | 'any';
  readonly isGlobal: boolean;
  readonly missingMemberCode: string | undefined;
  private known: ReturnType<typeof readSchemas> | undefined;

  /** @param client answers everything the SDK client's package exports; its schemas end in `$` */
  constructor(
    identity: ServiceIdentity,
    private readonly client: () => object,
  ) {
    this.name = identity.name;
    this.sdkName = identity.sdkName ?? identity.name;
    this.targetPrefix = identity.targetPrefix ?? '';
    this.jsonVersion = identity.jsonVersion ?? '1.0';
    this.queryCompatible = identity.queryCompatible ?? false;
    this.xmlNamespace = identity.xmlNamespace ?? `http://${identity.name}.amazonaws.com/`;
    this.unsignedActions = identity.unsignedActions ?? [];
    this.urlMembers = identity.urlMembers ?? [];
    this.isGlobal = identity.isGlobal ?? false;
    this.missingMemberCode = identity.missingMemberCode;
  }

  get operations(): ReadonlyMap<string, Operation> {
    return this.schemas().operations;
  }

  /** Whether method and path name its operations. */
  get isRest(): boolean {
    return this.schemas().isRest;
  }

  /** Errors by the code AWS's query protocol gives them, and by their own names. */
  get errors(): ReadonlyMap<string, ErrorShape> {
    return this.schemas().errors;
  }

  private schemas() {
    this.known ??= readSchemas(this.client());
    return this.known;
  }
}

function readSchemas(client: object) {
  const operations = new Map<string, Operation>();
  const errors = new Map<string, ErrorShape>();
  for (const schema of Object.values(client)) {
    if (isOperation(schema)) operations.set(schema[2], new Operation(schema));
    else if (isError(schema)) {
      const [, namespace, name, , members] = schema;
      const fullName = `${namespace}#${name}`;
      const messageMember = members.find(member => member.toLowerCase() === 'message') ?? 'message';
      for (const key of [name, queryCode(schema) ?? name]) {
        errors.set(key, { fullName, messageMember, hasType: members.includes('Type') });
      }
    }
  }
  const isRest = [...operations.values()].some(({ http }) => http !== undefined);
  return { operations, errors, isRest };
}

const isOperation = (value: unknown): value is StaticOperationSchema =>
  Array.isArray(value) && value[0] === OPERATION && value.length >= 6;

const isError = (value: unknown): value is StaticErrorSchema =>
  Array.isArray(value) && value[0] === ERROR && value.length >= 6;

/** The code of an error in AWS's query protocol, where it is not the name of its shape. */
function queryCode(schema: StaticErrorSchema): string | undefined {
  const traits = schema[3];
  if (typeof traits !== 'object' || !Array.isArray(traits.awsQueryError)) return undefined;
  return String(traits.awsQueryError[0]);
}

/** Static schemas name the members that must be there first, and say how many those are. */
function requiredIn(schema: unknown): readonly string[] {
  if (!isStructure(schema)) return [];
  const [, , , , members, , count = 0] = schema;
  return members.slice(0, count);
}

const isStructure = (value: unknown): value is StaticStructureSchema =>
  Array.isArray(value) && value[0] === STRUCTURE && value.length >= 6;
