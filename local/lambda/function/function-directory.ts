import type { Place } from '../../kernel/place';
import { MissingResource } from '../../kernel/service-api';
import { conflict, functionNotFound } from '../errors';
import type { DeployedFunction, FunctionTarget } from './deployed-function';
import { functionArn, parseFunctionName } from './function-configuration';

/** The functions of an account and Region, by name. */
export class FunctionDirectory {
  private readonly byName = new Map<string, DeployedFunction>();

  constructor(private readonly place: Place) {}

  /** In the order of creation. */
  all(): readonly DeployedFunction[] {
    return [...this.byName.values()];
  }

  /** @throws AwsError `ResourceConflictException` when a function with this name exists */
  checkFree(name: string): void {
    if (this.byName.has(name)) throw conflict(`Function already exist: ${name}`);
  }

  add(deployed: DeployedFunction): void {
    this.byName.set(deployed.name, deployed);
  }

  delete(deployed: DeployedFunction): void {
    this.byName.delete(deployed.name);
    deployed.delete();
  }

  /** Finds a function by any form of its name. A version or an alias in it is ignored. */
  find(nameOrArn: string): DeployedFunction | undefined {
    return this.byName.get(parseFunctionName(nameOrArn).name);
  }

  /** @throws AwsError `ResourceNotFoundException` */
  get(nameOrArn: string): DeployedFunction {
    const found = this.find(nameOrArn);
    if (found) return found;
    throw functionNotFound(functionArn(this.place, parseFunctionName(nameOrArn).name));
  }

  /**
   * Returns the function, version or alias that a call names.
   *
   * @param qualifier a version or an alias, if the name has none
   */
  target(nameOrArn: string, qualifier?: string): FunctionTarget | MissingResource {
    const { name, qualifier: inName } = parseFunctionName(nameOrArn);
    const asked = qualifier ?? inName;
    const found = this.byName.get(name)?.target(asked);
    if (found) return found;
    return new MissingResource(functionArn(this.place, name), functionNotFound(functionArn(this.place, name, asked)));
  }
}
