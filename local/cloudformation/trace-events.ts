import type { Refused, ServiceContext } from '../kernel/service-api';
import type { StandIn } from './stand-ins/stand-in';

/** As in `DescribeStackEvents`. */
type StackEventStatus = string;

interface OfCustomResource {
  readonly stackId: string;
  readonly logicalId: string;
  readonly requestId: string;
}

/** The trace events of CloudFormation. Resources are recorded by their own services. */
export type CloudFormationTraceEvent =
  | (OfCustomResource & {
      readonly type: 'cloudformation.custom-resource-requested';
      readonly resourceType: string;
      /** The ARN of a function or a topic. */
      readonly serviceToken: string;
      /** In the first deployment of a simulation there are only creations. @default 'Create' */
      readonly requestType?: 'Create' | 'Update' | 'Delete';
    })
  | (OfCustomResource & {
      readonly type: 'cloudformation.custom-resource-answered';
      readonly status: 'SUCCESS' | 'FAILED';
      readonly physicalId: string;
    })
  /** The embedded AWS does not simulate a resource, a property or an attribute. `what` and `member` are as in `StandIn`. */
  | {
      readonly type: 'cloudformation.stand-in';
      readonly stack: string;
      readonly logicalId: string;
      readonly resourceType: string;
      readonly what: StandIn['what'];
      readonly member?: string;
      readonly reason: string;
    }
  /** The answer did not arrive in time, or is invalid. */
  | (OfCustomResource & { readonly type: 'cloudformation.custom-resource-failed'; readonly reason: string })
  /** An operation of a stack began or ended. The first deployment of a simulation writes none. */
  | {
      readonly type: 'cloudformation.stack-status';
      readonly stackId: string;
      readonly stackName: string;
      readonly status: StackEventStatus;
      readonly reason?: string;
    }
  /** CloudFormation began or ended to create, change or delete a resource. */
  | {
      readonly type: 'cloudformation.resource-status';
      readonly stackName: string;
      readonly logicalId: string;
      readonly resourceType: string;
      readonly physicalId?: string;
      readonly status: StackEventStatus;
      readonly reason?: string;
    }
  | Refused<'cloudformation'>;

export type CloudFormationContext = Pick<
  ServiceContext<CloudFormationTraceEvent>,
  'place' | 'timeline' | 'random' | 'access' | 'faults' | 'trace'
>;
