import type { Place } from '../../kernel/place';
import { MissingResource } from '../../kernel/service-api';
import { conflict, functionNotFound } from '../errors';
import type { DeployedFunction, FunctionTarget } from './deployed-function';
import { functionArn, parseFunctionName, qualified } from './function-configuration';

/** The functions of an account and Region, by name. */
export class FunctionDirectory {
  private readonly byName = new Map<string, DeployedFunction>();

  constructor(private readonly place: Place) {}

  /** In the order of creation. */
  all(): readonly DeployedFunction[] {
    return [...this.byName.values()];
  }

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

  /**
   * Finds a function by any form of its name. A version or an alias in it is ignored. The function of an ARN may belong
   * to another account or Region, which this directory does not have.
   */
  find(nameOrArn: string): DeployedFunction | undefined {
    const { name, account = this.place.account, region = this.place.region } = parseFunctionName(nameOrArn);
    return account === this.place.account && region === this.place.region ? this.byName.get(name) : undefined;
  }

  get(nameOrArn: string): DeployedFunction {
    const found = this.find(nameOrArn);
    if (found) return found;
    throw functionNotFound(this.arnOf(nameOrArn));
  }

  /**
   * Returns the function, version or alias that a call names.
   *
   * @param qualifier a version or an alias, if the name has none
   */
  target(nameOrArn: string, qualifier?: string): FunctionTarget | MissingResource {
    const asked = qualifier ?? parseFunctionName(nameOrArn).qualifier;
    const found = this.find(nameOrArn)?.target(asked);
    if (found) return found;
    const arn = this.arnOf(nameOrArn);
    return new MissingResource(arn, functionNotFound(qualified(arn, asked)));
  }

  /** The ARN of a function of this name, which need not exist. */
  private arnOf(nameOrArn: string): string {
    const { name, account = this.place.account, region = this.place.region } = parseFunctionName(nameOrArn);
    return functionArn({ ...this.place, account, region }, name);
  }
}
