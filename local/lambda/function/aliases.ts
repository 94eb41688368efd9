import { conflict, functionNotFound, invalidParameter, resourceNotFound } from '../errors';
import type { LambdaContext } from '../trace-events';
import { LATEST, qualified } from './function-configuration';
import type { Versions } from './versions';

/** A version that receives a share of an alias's invocations. */
interface Route {
  readonly version: string;
  /** From 0 to 1. */
  readonly weight: number;
}

/**
 * An alias of a version.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-aliases.html
 */
export interface Alias {
  readonly name: string;
  readonly arn: string;
  readonly functionVersion: string;
  readonly description: string;
  /** The additional version that receives a share of the invocations, if any. */
  readonly route: Route | undefined;
  readonly revisionId: string;
}

interface AliasSettings {
  readonly functionVersion: string;
  readonly description?: string;
  /** The `AdditionalVersionWeights`. @default every invocation runs `functionVersion` */
  readonly weights?: Readonly<Record<string, number>>;
}

export class Aliases {
  private readonly byName = new Map<string, Alias>();
  private readonly awaited = new Map<string, readonly (() => void)[]>();

  constructor(
    private readonly functionArn: string,
    private readonly versions: Versions,
    private readonly context: Pick<LambdaContext, 'random'>,
  ) {}

  /** In the order of creation. */
  all(): readonly Alias[] {
    return [...this.byName.values()];
  }

  of(version: string): readonly Alias[] {
    return this.all().filter(({ functionVersion, route }) => [functionVersion, route?.version].includes(version));
  }

  find(name: string): Alias | undefined {
    return this.byName.get(name);
  }

  get(name: string): Alias {
    const found = this.byName.get(name);
    if (found) return found;
    throw resourceNotFound(`Cannot find alias arn: ${qualified(this.functionArn, name)}`);
  }

  create(name: string, settings: AliasSettings): Alias {
    if (this.byName.has(name)) throw conflict(`Alias already exists: ${qualified(this.functionArn, name)}`);
    const created = this.put(name, settings);
    const listeners = this.awaited.get(name) ?? [];
    this.awaited.delete(name);
    for (const listener of listeners) listener();
    return created;
  }

  /** Calls `listener` once, when an alias with this name is created. */
  whenCreated(name: string, listener: () => void): void {
    this.awaited.set(name, [...(this.awaited.get(name) ?? []), listener]);
  }

  /** @throws AwsError in the same cases as `create` */
  update(name: string, changes: Partial<AliasSettings>): Alias {
    const { functionVersion, description, route } = this.get(name);
    const weights = route && { [route.version]: route.weight };
    return this.put(name, { functionVersion, description, weights, ...changes });
  }

  /** Gives an alias a new revision id, because something associated with it has changed, such as its policy. */
  revise(name: string): void {
    const found = this.byName.get(name);
    if (found) this.byName.set(name, { ...found, revisionId: this.context.random.uuid() });
  }

  /** Deletes an alias. Does nothing if it does not exist. */
  delete(name: string): void {
    this.byName.delete(name);
  }

  choose({ functionVersion, route }: Alias): string {
    return route && this.context.random.fraction() < route.weight ? route.version : functionVersion;
  }

  private put(name: string, { functionVersion, description = '', weights = {} }: AliasSettings): Alias {
    this.checkVersion(functionVersion);
    const arn = qualified(this.functionArn, name);
    const route = this.routeOf(functionVersion, weights);
    const alias = { name, arn, functionVersion, description, route, revisionId: this.context.random.uuid() };
    this.byName.set(name, alias);
    return alias;
  }

  private routeOf(functionVersion: string, weights: Readonly<Record<string, number>>): Route | undefined {
    const routes = Object.entries(weights).map(([version, weight]) => ({ version, weight }));
    const [route, another] = routes;
    if (another) throw invalidParameter('Number of items in AdditionalVersionWeights cannot be greater than 1');
    if (!route) return undefined;
    if (route.version === functionVersion) {
      const text = `Invalid function version ${functionVersion}. Function version ${functionVersion} is already included in routing configuration.`;
      throw invalidParameter(text);
    }
    if (functionVersion === LATEST || route.version === LATEST) {
      throw invalidParameter('$LATEST is not supported for an alias pointing to more than 1 version');
    }
    this.checkVersion(route.version);
    return route;
  }

  private checkVersion(version: string): void {
    if (!this.versions.find(version)) throw functionNotFound(qualified(this.functionArn, version));
  }
}
