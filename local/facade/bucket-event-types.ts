import { isoInstant } from '../kernel/clock';
import type { JsonObject } from '../kernel/json';

/** What EventBridge gets when S3 reports an event. */
interface BusEventKind {
  readonly detailType: string;
  readonly isRemoval: boolean;
  /** The members of `detail` that only events of this kind have. */
  members(nowMs: number): JsonObject;
}

const DAY_MS = 24 * 3_600_000;

const kind = (detailType: string, members: JsonObject = {}): BusEventKind => ({
  detailType,
  isRemoval: false,
  members: () => members,
});
const created = (reason: string): BusEventKind => kind('Object Created', { reason });
const removed = (reason: string, deletionType: string): BusEventKind => ({
  ...kind('Object Deleted', { reason, 'deletion-type': deletionType }),
  isRemoval: true,
});

const [PERMANENT, MARKER] = ['Permanently Deleted', 'Delete Marker Created'];
const GLACIER = { 'source-storage-class': 'GLACIER' };

/**
 * The events that S3 sends to EventBridge. Storage classes, tiers and the time for which an object is restored are examples,
 * because objects are not simulated.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-mapping-troubleshooting.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
 */
const ON_BUS: Readonly<Record<string, BusEventKind>> = {
  'ObjectCreated:Put': created('PutObject'),
  'ObjectCreated:Post': created('POST Object'),
  'ObjectCreated:Copy': created('CopyObject'),
  'ObjectCreated:CompleteMultipartUpload': created('CompleteMultipartUpload'),
  'ObjectRemoved:Delete': removed('DeleteObject', PERMANENT),
  'ObjectRemoved:DeleteMarkerCreated': removed('DeleteObject', MARKER),
  'LifecycleExpiration:Delete': removed('Lifecycle Expiration', PERMANENT),
  'LifecycleExpiration:DeleteMarkerCreated': removed('Lifecycle Expiration', MARKER),
  'ObjectRestore:Post': kind('Object Restore Initiated', GLACIER),
  'ObjectRestore:Completed': {
    ...kind('Object Restore Completed'),
    members: nowMs => ({ ...GLACIER, 'restore-expiry-time': isoInstant(nowMs + DAY_MS) }),
  },
  'ObjectRestore:Delete': kind('Object Restore Expired'),
  LifecycleTransition: kind('Object Storage Class Changed', { 'destination-storage-class': 'GLACIER' }),
  IntelligentTiering: kind('Object Access Tier Changed', { 'destination-access-tier': 'ARCHIVE_ACCESS' }),
  'ObjectTagging:Put': kind('Object Tags Added'),
  'ObjectTagging:Delete': kind('Object Tags Deleted'),
  'ObjectAcl:Put': kind('Object ACL Updated'),
};

/** Events of S3 whose notifications have members that are not simulated. */
const NOT_SIMULATED: readonly string[] = [
  'ReducedRedundancyLostObject',
  'Replication:OperationFailedReplication',
  'Replication:OperationMissedThreshold',
  'Replication:OperationNotTracked',
  'Replication:OperationReplicatedAfterThreshold',
];

/** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-how-to-event-types-and-destinations.html */
export const S3_EVENTS: readonly string[] = Object.keys(ON_BUS);

export const isUnsimulatedS3Event = (name: string): boolean => NOT_SIMULATED.includes(name);

export const busEventOf = (name: string): BusEventKind | undefined => ON_BUS[name];
