import { AwsError } from '../kernel/aws-error';
import type { Caller } from '../kernel/caller';
import { isObject } from '../kernel/json';
import { accessDenied, type InputOf, type OutputOf, RequestChecks, ServiceApi } from '../kernel/service-api';
import { DYNAMODB_ACTIONS, type DynamoDbActions } from './actions';
import { DynamoDbState } from './dynamodb-state';
import type { DynamoDbDependencies } from './ports';
import type { DynamoDbContext } from './trace-events';

/**
 * Amazon DynamoDB: tables with their indexes, expressions, transactions, time to live and streams. There are no limits of
 * throughput except by faults, no global tables, and no PartiQL.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/Welcome.html
 */
export class DynamoDb extends ServiceApi<DynamoDbState, DynamoDbActions> {
  constructor(context: DynamoDbContext, dependencies: DynamoDbDependencies) {
    const checks = new RequestChecks('dynamodb', context, accessDenied(context.place, 'AccessDeniedException', 400));
    super(checks, DYNAMODB_ACTIONS, new DynamoDbState(context, checks, dependencies));
  }

  override call<Name extends keyof DynamoDbActions>(
    action: Name,
    caller: Caller,
    input: InputOf<DynamoDbActions[Name]>,
  ): OutputOf<DynamoDbActions[Name]> {
    try {
      return super.call(action, caller, input);
    } catch (error) {
      const named: unknown = isObject(input) ? input['TableName'] : undefined;
      const table = typeof named === 'string' ? this.state.find(named) : undefined;
      if (error instanceof AwsError && table) this.state.failed(action, table.name, error);
      throw error;
    }
  }
}
