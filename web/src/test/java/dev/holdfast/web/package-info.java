@NullMarked
package dev.holdfast.web;

import org.jspecify.annotations.NullMarked;
