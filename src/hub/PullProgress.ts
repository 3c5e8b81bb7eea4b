/** What happens while a model is fetched, for whoever shows it. */
export interface PullProgress {
  /** A sentence without its full stop: a wait, another try. */
  readonly note: (text: string) => void;
  /** `file` has `bytes` of `size` already. */
  readonly begin: (file: string, bytes: number, size: number) => void;
  /** Bytes of the file so far; often. */
  readonly advance: (bytes: number) => void;
  /** The file is whole and checked. */
  readonly end: () => void;
}
