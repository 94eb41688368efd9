import type { Refused, ServiceContext } from '../kernel/service-api';
import type { StandIn } from './stand-ins/stand-in';

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
  | Refused<'cloudformation'>;

export type CloudFormationContext = Pick<
  ServiceContext<CloudFormationTraceEvent>,
  'place' | 'timeline' | 'random' | 'access' | 'faults' | 'trace'
>;
