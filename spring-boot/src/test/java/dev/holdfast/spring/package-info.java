@NullMarked
package dev.holdfast.spring;

import org.jspecify.annotations.NullMarked;
