import { NormalizedSchema } from '@smithy/core/schema';
import type { StaticErrorSchema, StaticOperationSchema, StaticStructureSchema } from '@smithy/types';

/** The first element of a static schema is its kind. */
const OPERATION = 9;
const STRUCTURE = 3;
const ERROR = -3;

/** The HTTP method, path and status of an operation of a REST service. */
interface HttpBinding {
  readonly method: string;
  /** For example `/2015-03-31/functions/{FunctionName}/invocations`. */
  readonly path: string;
  /** The status of a successful answer. */
  readonly status: number;
}

/** An API action, as the SDK's client describes it. Its shapes are read on first use. */
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

  get requiredMembers(): readonly string[] {
    this.required ??= requiredIn(this.input.getSchema());
    return this.required;
  }

  /** Undefined for services whose operations are identified by name alone. */
  get http(): HttpBinding | undefined {
    const traits = this.schema[3];
    if (typeof traits !== 'object' || !traits.http) return undefined;
    const [method, path, status] = traits.http;
    return { method, path, status };
  }
}

interface ErrorShape {
  /** For example `com.amazonaws.sqs#QueueDoesNotExist`. */
  readonly fullName: string;
  /** `message`, or `Message` in services that spell it so. */
  readonly messageMember: string;
  /** Whether the error says who caused it, as Lambda's do. */
  readonly hasType: boolean;
  /** @default - the model does not say */
  readonly httpStatus: number | undefined;
}

/** How the query protocol of a service differs from that of others. Each was recorded on AWS. */
interface QueryDialect {
  /**
   * The member that the path of the URL may give, and the actions without that member that may be sent to such a URL.
   */
  readonly addressed: { readonly member: string; readonly path: RegExp; readonly others: readonly string[] };
  /** Error texts by code, where they are not those of the JSON protocol. */
  readonly texts: ReadonlyMap<string, string>;
  /** The names of errors in the JSON protocol that are not in the API model, by their code in the query protocol. */
  readonly jsonNames: ReadonlyMap<string, string>;
  /** Members of results in JSON that are spelled otherwise than in the API model. */
  readonly jsonMembers: ReadonlyMap<string, string>;
}

/** Stands for every target prefix, and for every action. */
export const ANY = 'any';

interface SecondApi {
  readonly targetPrefix: string;
  /** Its hosts without Region and suffix, for example `streams.dynamodb`. */
  readonly hosts: readonly string[];
  /** Returns its schemas. @param client the exports of the SDK client of the service */
  schemas(client: object): object;
}

interface ServiceIdentity {
  /** The service in host names and signatures, for example `sqs`. */
  readonly name: string;
  /**
   * The name that the SDKs and the universal targets of schedules use, in lower case and without spaces. @default -
   * `name`
   */
  readonly sdkName?: string;
  /** The prefix of the action in `X-Amz-Target`; `ANY` if it does not matter. @default '' */
  readonly targetPrefix?: string;
  /** A second API with hosts and a target prefix of its own, whose requests are signed for this service. @default - none */
  readonly secondApi?: SecondApi;
  /** The version of AWS JSON its clients speak. @default '1.0' */
  readonly jsonVersion?: '1.0' | '1.1';
  /** Whether its clients used the query protocol before, and still expect the old error codes. @default false */
  readonly queryCompatible?: boolean;
  /** How its query protocol differs from that of other services. @default - no differences */
  readonly query?: QueryDialect;
  /** @default - derived from `name` */
  readonly xmlNamespace?: string;
  /** Whether a REST service speaks XML. @default false: it speaks JSON */
  readonly restXml?: boolean;
  /** Actions that need no signature: the links in SNS's e-mails. @default none */
  readonly unsignedActions?: readonly string[] | typeof ANY;
  /**
   * The members of the service's answers that contain URLs of AWS; `any` if every member may. These URLs are rewritten
   * for clients that reach AWS at another address.
   *
   * @default none
   */
  readonly urlMembers?: readonly string[] | 'any';
  /** Whether it also has a host for all Regions, such as `iam.amazonaws.com`. @default false */
  readonly isGlobal?: boolean;
  /**
   * The error code of AWS for a request without a member that the API model requires.
   *
   * @default - the service reports it in its own words
   */
  readonly missingMemberCode?: string;
}

/**
 * What the wire needs to know of a service. The shapes come from the service's SDK client. The client is loaded, and
 * each shape is read, on first use.
 */
export class ServiceModel {
  readonly name: string;
  readonly sdkName: string;
  readonly targetPrefix: string;
  readonly secondApi: SecondApi | undefined;
  readonly jsonVersion: '1.0' | '1.1';
  readonly queryCompatible: boolean;
  readonly query: QueryDialect | undefined;
  readonly xmlNamespace: string;
  readonly restXml: boolean;
  readonly unsignedActions: readonly string[] | typeof ANY;
  readonly urlMembers: readonly string[] | 'any';
  readonly isGlobal: boolean;
  readonly missingMemberCode: string | undefined;
  private known: ReturnType<ServiceModel['read']> | undefined;

  /** @param client returns the exports of the SDK client's package; its schemas end in `$` */
  constructor(
    identity: ServiceIdentity,
    private readonly client: () => object,
  ) {
    this.name = identity.name;
    this.sdkName = identity.sdkName ?? identity.name;
    this.targetPrefix = identity.targetPrefix ?? '';
    this.secondApi = identity.secondApi;
    this.jsonVersion = identity.jsonVersion ?? '1.0';
    this.queryCompatible = identity.queryCompatible ?? false;
    this.query = identity.query;
    this.xmlNamespace = identity.xmlNamespace ?? `http://${identity.name}.amazonaws.com/`;
    this.restXml = identity.restXml ?? false;
    this.unsignedActions = identity.unsignedActions ?? [];
    this.urlMembers = identity.urlMembers ?? [];
    this.isGlobal = identity.isGlobal ?? false;
    this.missingMemberCode = identity.missingMemberCode;
  }

  get operations(): ReadonlyMap<string, Operation> {
    return this.schemas().operations;
  }

  /** Whether method and path identify its operations. */
  get isRest(): boolean {
    return this.schemas().isRest;
  }

  /** Errors both by their code in AWS's query protocol and by their name. */
  get errors(): ReadonlyMap<string, ErrorShape> {
    return this.schemas().errors;
  }

  /** Whether requests with this prefix of `X-Amz-Target` are for the service. */
  hasTarget(prefix: string): boolean {
    return [this.targetPrefix, this.secondApi?.targetPrefix].includes(prefix);
  }

  /** The action that a request names; undefined when the prefix belongs to another API. */
  actionOf(prefix: string, action: string): string | undefined {
    if (this.secondApi && this.hasTarget(prefix)) {
      const isSecond = prefix === this.secondApi.targetPrefix;
      return this.schemas().second.has(action) === isSecond ? action : undefined;
    }
    return this.targetPrefix === ANY || this.targetPrefix === prefix ? action : undefined;
  }

  private schemas() {
    this.known ??= this.read();
    return this.known;
  }

  private read() {
    const client = this.client();
    const first = readSchemas(client);
    if (!this.secondApi) return { ...first, second: new Map<string, Operation>() };
    const second = readSchemas(this.secondApi.schemas(client));
    const operations = new Map([...first.operations, ...second.operations]);
    return { ...first, operations, errors: new Map([...first.errors, ...second.errors]), second: second.operations };
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
        errors.set(key, { fullName, messageMember, hasType: members.includes('Type'), httpStatus: statusOf(schema) });
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

/** The code of an error in AWS's query protocol, when it differs from the name of its shape. */
function queryCode(schema: StaticErrorSchema): string | undefined {
  const traits = schema[3];
  if (typeof traits !== 'object' || !Array.isArray(traits.awsQueryError)) return undefined;
  return String(traits.awsQueryError[0]);
}

function statusOf(schema: StaticErrorSchema): number | undefined {
  const traits = schema[3];
  if (typeof traits !== 'object') return undefined;
  if (typeof traits.httpError === 'number') return traits.httpError;
  return traits.error === 'server' ? 500 : undefined;
}

/** Returns the required members. Static schemas list them first, with their number. */
function requiredIn(schema: unknown): readonly string[] {
  if (!isStructure(schema)) return [];
  const [, , , , members, , count = 0] = schema;
  return members.slice(0, count);
}

const isStructure = (value: unknown): value is StaticStructureSchema =>
  Array.isArray(value) && value[0] === STRUCTURE && value.length >= 6;
