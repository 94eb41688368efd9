import type { Refused } from '../kernel/doorkeeper';

interface OfCustomResource {
  readonly stackId: string;
  readonly logicalId: string;
  readonly requestId: string;
}

/** What CloudFormation writes into the trace: resources are told of by the services they live in. */
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
  /** There was no answer in time, or one that cannot be used. */
  | (OfCustomResource & { readonly type: 'cloudformation.custom-resource-failed'; readonly reason: string })
  | Refused<'cloudformation'>;
