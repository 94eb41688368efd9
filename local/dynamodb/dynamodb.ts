import { AwsError } from '../kernel/aws-error';
import { administrator, type Caller } from '../kernel/caller';
import { isObject } from '../kernel/json';
import { type Api, accessDenied, type InputOf, type OutputOf, RequestChecks, ServiceApi } from '../kernel/service-api';
import { DYNAMODB_ACTIONS } from './actions';
import type { DynamoDbActionName, DynamoDbActions } from './actions/dynamodb-action';
import { DynamoDbState } from './dynamodb-state';
import type { DynamoDbDependencies } from './ports';
import type { DynamoDbContext } from './trace-events';

/**
 * Amazon DynamoDB: tables with their indexes, expressions, transactions and time to live. There are no limits of throughput
 * except by faults, no global tables, and no PartiQL.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/Welcome.html
 */
export class DynamoDb implements Api<DynamoDbActions> {
  /** An administrator of the tables' account. */
  readonly owner: Caller;
  readonly state: DynamoDbState;
  private readonly api: ServiceApi<DynamoDbState, DynamoDbActions>;

  constructor(context: DynamoDbContext, dependencies: DynamoDbDependencies) {
    this.owner = administrator(context.place.account);
    const denied = accessDenied(context.place, 'AccessDeniedException', 400);
    const checks = new RequestChecks('dynamodb', context, denied);
    this.state = new DynamoDbState(context, checks, dependencies);
    this.api = new ServiceApi(checks, DYNAMODB_ACTIONS, this.state);
  }

  call<Name extends DynamoDbActionName>(
    action: Name,
    caller: Caller,
    input: InputOf<DynamoDbActions[Name]>,
  ): OutputOf<DynamoDbActions[Name]> {
    try {
      return this.api.call(action, caller, input);
    } catch (error) {
      const named: unknown = isObject(input) ? input['TableName'] : undefined;
      const table = typeof named === 'string' ? this.state.find(named) : undefined;
      if (error instanceof AwsError && table) this.state.failed(action, table.name, error);
      throw error;
    }
  }

  /** Whether the embedded AWS has this action. */
  implements(action: string): boolean {
    return this.api.implements(action);
  }
}
