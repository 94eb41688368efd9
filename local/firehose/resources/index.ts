import type { ResourceType } from '../../cloudformation/resource-type';
import type { Place } from '../../kernel/place';
import { deliveryStreamResourceType } from './delivery-stream';

/** The CloudFormation resource types of Amazon Data Firehose. */
export function firehoseResourceTypes(place: Place): readonly ResourceType[] {
  return [deliveryStreamResourceType(place)];
}
