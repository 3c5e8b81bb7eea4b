;; Searches in a row of logits, which lies at 0 in memory: f32, padded with minus infinity to a multiple of 64 floats.
;; `ffi/rows/module.ts` holds what this comes to; test/ffi/logitRow.test.ts assembles it anew and compares.
(module
  (memory (export "memory") 1)

  ;; The largest of `bytes` bytes of floats; NaN where one of them is.
  (func (export "max") (param $bytes i32) (result f32)
    (local $at i32) (local $v v128) (local $bad v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $a (f32x4.splat (f32.const -inf)))
    (local.set $b (local.get $a))
    (local.set $c (local.get $a))
    (local.set $d (local.get $a))
    (loop $next
      (local.set $v (v128.load (local.get $at)))
      (local.set $bad (v128.or (local.get $bad) (f32x4.ne (local.get $v) (local.get $v))))
      (local.set $a (f32x4.pmax (local.get $a) (local.get $v)))
      (local.set $v (v128.load offset=16 (local.get $at)))
      (local.set $bad (v128.or (local.get $bad) (f32x4.ne (local.get $v) (local.get $v))))
      (local.set $b (f32x4.pmax (local.get $b) (local.get $v)))
      (local.set $v (v128.load offset=32 (local.get $at)))
      (local.set $bad (v128.or (local.get $bad) (f32x4.ne (local.get $v) (local.get $v))))
      (local.set $c (f32x4.pmax (local.get $c) (local.get $v)))
      (local.set $v (v128.load offset=48 (local.get $at)))
      (local.set $bad (v128.or (local.get $bad) (f32x4.ne (local.get $v) (local.get $v))))
      (local.set $d (f32x4.pmax (local.get $d) (local.get $v)))
      (local.set $at (i32.add (local.get $at) (i32.const 64)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $bytes))))
    (if (v128.any_true (local.get $bad)) (then (return (f32.const nan))))
    (local.set $a (f32x4.pmax (f32x4.pmax (local.get $a) (local.get $b)) (f32x4.pmax (local.get $c) (local.get $d))))
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $a)) (f32x4.extract_lane 1 (local.get $a)))
      (f32.max (f32x4.extract_lane 2 (local.get $a)) (f32x4.extract_lane 3 (local.get $a)))))

  ;; Index of the first float that is `value`; -1 where none is.
  (func (export "first") (param $bytes i32) (param $value f32) (result i32)
    (local $at i32) (local $wanted v128) (local $equal v128)
    (local.set $wanted (f32x4.splat (local.get $value)))
    (loop $next
      (local.set $equal (f32x4.eq (v128.load (local.get $at)) (local.get $wanted)))
      (if (v128.any_true (local.get $equal))
        (then (return (i32.add
          (i32.shr_u (local.get $at) (i32.const 2))
          (i32.ctz (i32x4.bitmask (local.get $equal)))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $bytes))))
    (i32.const -1))

  ;; The largest of each 64 floats, written from `out` on.
  (func (export "blocks") (param $bytes i32) (param $out i32)
    (local $at i32) (local $end i32) (local $m v128)
    (loop $block
      (local.set $m (f32x4.splat (f32.const -inf)))
      (local.set $end (i32.add (local.get $at) (i32.const 256)))
      (loop $next
        (local.set $m (f32x4.pmax (local.get $m) (v128.load (local.get $at))))
        (local.set $m (f32x4.pmax (local.get $m) (v128.load offset=16 (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
      (f32.store (local.get $out) (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $m)) (f32x4.extract_lane 1 (local.get $m)))
        (f32.max (f32x4.extract_lane 2 (local.get $m)) (f32x4.extract_lane 3 (local.get $m)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $block (i32.lt_u (local.get $at) (local.get $bytes)))))

  ;; Writes the indices of all floats that are `value` or more from `out` on, in order; how many, or -1 above `room`.
  (func (export "atLeast") (param $bytes i32) (param $value f32) (param $out i32) (param $room i32) (result i32)
    (local $at i32) (local $mask i32) (local $count i32) (local $wanted v128)
    (local.set $wanted (f32x4.splat (local.get $value)))
    (loop $next
      (local.set $mask (i32x4.bitmask (f32x4.ge (v128.load (local.get $at)) (local.get $wanted))))
      (if (local.get $mask)
        (then (loop $bit
          (if (i32.ge_u (local.get $count) (local.get $room)) (then (return (i32.const -1))))
          (i32.store
            (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 2)))
            (i32.add (i32.shr_u (local.get $at) (i32.const 2)) (i32.ctz (local.get $mask))))
          (local.set $count (i32.add (local.get $count) (i32.const 1)))
          (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
          (br_if $bit (local.get $mask)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $bytes))))
    (local.get $count)))
