/** The score on a half circle from 0 to 100, with the number in words for those who do not see it. */
export function ScoreScale({ score }: { score: number | undefined }) {
  const length = Math.PI * 40;
  const filled = score === undefined ? 0 : (length * score) / 100;
  return (
    <div class="score">
      <svg
        viewBox="0 0 100 56"
        role="img"
        aria-label={score === undefined ? 'No score' : `Score ${score} of 100`}
      >
        <path class="score-track" d="M10 50a40 40 0 0 1 80 0" />
        {filled === 0 ? null : (
          <path class="score-fill" d="M10 50a40 40 0 0 1 80 0" stroke-dasharray={`${filled} ${length}`} />
        )}
        <text x="50" y="48" text-anchor="middle" aria-hidden="true">
          {score ?? '–'}
        </text>
      </svg>
      <span class="hint" aria-hidden="true">
        {score === undefined ? 'no score' : 'score of 100'}
      </span>
    </div>
  );
}
